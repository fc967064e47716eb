import { measureClockSkew, type ClockSkew } from '#libs/domain';
import type { Database } from '../connect.js';

/** The oldest transaction of the server that has written something. */
export type OldTransaction = { readonly ageMs: number; readonly pid: number | null; readonly who: string };

export type DatabaseFacts = {
  /** `server_version_num`, for example 180004. */
  readonly version: number;
  readonly isStandby: boolean;
  readonly encoding: string;
  /** Settings that are switched off and would lose what was acknowledged when the server crashes. */
  readonly unsafe: readonly string[];
  readonly maxConnections: number;
  /** Kept back for superusers and the like. */
  readonly reservedConnections: number;
  /** Connections of others than Weir, and Weir's processes that are connected now. */
  readonly otherConnections: number;
  readonly processes: number;
  /** In milliseconds; 0: never. */
  readonly statementTimeoutMs: number;
  readonly idleInTransactionTimeoutMs: number;
  readonly oldTransaction: OldTransaction | null;
  /** Whether the transactions of other roles can be seen. */
  readonly seesAllSessions: boolean;
  readonly clock: ClockSkew;
};

type Row = Omit<DatabaseFacts, 'oldTransaction' | 'clock'>;

/** Reads only. @throws RetryableError `database_unavailable` */
export async function readDatabaseFacts(
  database: Pick<Database, 'run'>,
  nowMs: () => number = Date.now,
): Promise<DatabaseFacts> {
  const clock = await measureClockSkew(async () => {
    const [row] = await database.run(
      (sql) => sql<{ at: number }[]>`select extract(epoch from clock_timestamp()) * 1000 as at`,
    );
    return row?.at ?? NaN;
  }, nowMs);
  const [row] = await database.run(
    (sql) => sql<Row[]>`
      select current_setting('server_version_num')::int as version,
        pg_is_in_recovery() as "isStandby",
        current_setting('server_encoding') as encoding,
        array(select name from pg_settings
              where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name) as unsafe,
        current_setting('max_connections')::int as "maxConnections",
        (select sum(setting::int)::int from pg_settings
         where name in ('superuser_reserved_connections', 'reserved_connections')) as "reservedConnections",
        (select count(*)::int from pg_stat_activity
         where backend_type = 'client backend' and application_name not like 'weir%') as "otherConnections",
        (select count(distinct application_name)::int from pg_stat_activity
         where application_name like 'weir-%:%') as processes,
        (select setting::int from pg_settings where name = 'statement_timeout') as "statementTimeoutMs",
        (select setting::int from pg_settings where name = 'idle_in_transaction_session_timeout')
          as "idleInTransactionTimeoutMs",
        pg_has_role(current_user, 'pg_read_all_stats', 'usage') as "seesAllSessions"`,
  );
  if (row === undefined) throw new Error('a select without a table gave no row');
  return { ...row, oldTransaction: await findOldTransaction(database), clock };
}

/** Only transactions with an id hold the feed back: those that wrote, and prepared ones, which outlive their session. */
async function findOldTransaction(database: Pick<Database, 'run'>): Promise<OldTransaction | null> {
  const [row] = await database.run(
    (sql) => sql<OldTransaction[]>`
      select extract(epoch from clock_timestamp() - since)::float8 * 1000 as "ageMs", pid, who from (
        select xact_start as since, pid,
          concat_ws(', ', nullif(application_name, ''), state, 'database ' || datname) as who
        from pg_stat_activity where backend_xid is not null and xact_start is not null and pid <> pg_backend_pid()
        union all
        select prepared, null, 'prepared transaction ' || gid || ', database ' || database from pg_prepared_xacts
      ) as open order by since limit 1`,
  );
  return row ?? null;
}
