import { Kysely } from 'kysely';
import postgres from 'postgres';
import { fromStoredJson, toStoredJson } from './encoding/stored-json.js';
import { PostgresJsDialect } from './kysely-dialect.js';
import type { DatabaseSchema } from './schema/database-schema.js';
import type { Sql } from './session.js';
import { translated } from './database-error.js';
import { Patience } from './patience.js';

export type ConnectSettings = {
  url: string;
  /** Connections of this process; 10 by default. */
  poolSize?: number;
  /** Prepared statements; false for PgBouncer in transaction mode, which also refuses the session time-outs below. */
  prepare?: boolean;
  /** Bound of one statement on the server; 15 s by default. */
  statementTimeoutMs?: number;
  /** Bound of one operation as the caller sees it, waiting for a connection included; 20 s by default. */
  operationTimeoutMs?: number;
  /** When an operation takes longer, it is asked whether the database is silent; 1 s by default, and 3 s for the answer. */
  suspectMs?: number;
  probeMs?: number;
  connectTimeoutMs?: number;
  applicationName?: string;
};

const customTypes = {
  bigint: { to: 20, from: [20], serialize: String, parse: safeInteger },
  numeric: { to: 1700, from: [1700], serialize: String, parse: Number },
  json: {
    to: 3802,
    from: [114, 3802],
    serialize: (value: unknown) => toStoredJson(value) ?? 'null',
    parse: fromStoredJson,
  },
  date: {
    to: 1184,
    from: [1082, 1114, 1184],
    serialize: (value: unknown) => (value instanceof Date ? value.toISOString() : String(value)),
    parse: rfc3339,
  },
};

/** A kind of statement that leaves all the time, one after the other: ends of steps, appends, claims. */
export type DedicatedTo = 'ends' | 'appends' | 'claims';

/** Of fewer connections too few would be left for everything else. */
const LEAST_WITH_DEDICATED = 6;

export type Database = {
  sql: Sql;
  /**
   * A connection of the process that only this kind of statement has (ADR 42): a pool hands each to another server process, whose
   * plans and caches are cold for it. Where the pool is small or nothing is prepared, it is the pool.
   */
  dedicated: Readonly<Record<DedicatedTo, Sql>>;
  kysely: Kysely<DatabaseSchema>;
  /** Runs an operation on the pool under the time-out; driver errors become ours. */
  run<T>(operation: (sql: Sql) => PromiseLike<T>): Promise<T>;
  /** The same bound without the translation of errors. */
  within<T>(operation: () => PromiseLike<T>): Promise<T>;
  /** Waits for statements under way (at most 2 s) and closes the pool. */
  close(): Promise<void>;
};

/** Opens no connection yet: the first statement does, so a process can start while the database is away. */
export function connect(settings: ConnectSettings): Database {
  const { sql, dedicated } = openPools(settings);
  const prepare = isPrepared(settings);
  const limits = {
    operationMs: settings.operationTimeoutMs ?? 20_000,
    suspectMs: settings.suspectMs ?? 1000,
    probeMs: settings.probeMs ?? 3000,
  };
  const patience = new Patience(limits, (signal) => probe(settings.url, signal));
  const within = <T>(operation: () => PromiseLike<T>): Promise<T> => patience.within(operation);
  return {
    sql,
    dedicated,
    kysely: new Kysely<DatabaseSchema>({ dialect: new PostgresJsDialect(sql, { prepare, within }) }),
    run: (operation) => translated(within(() => operation(sql))),
    within,
    close: async () => {
      patience.close();
      await Promise.all([...new Set([sql, ...Object.values(dedicated)])].map((pool) => pool.end({ timeout: 2 })));
    },
  };
}

const isPrepared = (settings: ConnectSettings): boolean => settings.prepare ?? true;

/** Dedicated connections are taken from the pool's, so that a process has as many as it was given. */
function openPools(settings: ConnectSettings): Pick<Database, 'sql' | 'dedicated'> {
  const options = driverOptions(settings);
  const open = (max: number): Sql => postgres(settings.url, { ...options, max });
  const poolSize = settings.poolSize ?? 10;
  if (!isPrepared(settings) || poolSize < LEAST_WITH_DEDICATED) {
    const sql = open(poolSize);
    return { sql, dedicated: { ends: sql, appends: sql, claims: sql } };
  }
  const dedicated = { ends: open(1), appends: open(1), claims: open(1) };
  return { sql: open(poolSize - Object.keys(dedicated).length), dedicated };
}

function driverOptions(settings: ConnectSettings) {
  const prepare = isPrepared(settings);
  return {
    prepare,
    connect_timeout: (settings.connectTimeoutMs ?? 5000) / 1000,
    // Only statements make it connect again, and each hangs for so long: postgres.js would back off up to 20 s.
    backoff: () => 0.25,
    // A pooler gives the server's connection away when a statement has ended, with what follows it in the pipeline already
    // sent there: its answer never comes (PgBouncer 1.18).
    ...(prepare ? {} : { max_pipeline: 0 }),
    types: customTypes,
    onnotice: () => undefined,
    connection: {
      application_name: settings.applicationName ?? 'weir',
      TimeZone: 'UTC',
      ...(prepare ? sessionTimeouts(settings) : {}),
    },
  };
}

/** Over a new connection: those of the pool may be stuck although the server has come back. */
async function probe(url: string, signal: AbortSignal): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    // Who asks says how long: an error of our own would pass for an answer.
    connect_timeout: 0,
    // One question is all that is asked; see `isAbandonedTypeQuery` for what a second one would do.
    fetch_types: false,
    connection: { application_name: 'weir-probe' },
    onnotice: () => undefined,
  });
  signal.addEventListener('abort', () => void sql.end({ timeout: 0 }), { once: true });
  await sql`select 1`.simple();
}

function sessionTimeouts(settings: ConnectSettings): Record<string, number | string> {
  const statementTimeoutMs = settings.statementTimeoutMs ?? 15_000;
  return {
    // Short statements with many branches look expensive to the planner; compiling one takes a quarter of a second.
    jit: 'off',
    statement_timeout: statementTimeoutMs,
    lock_timeout: Math.ceil(statementTimeoutMs * 0.8),
    // A process that was stopped (SIGSTOP) in a transaction would hold its locks for ever. Less than lock_timeout, so
    // that those who wait for such a lock get it.
    idle_in_transaction_session_timeout: Math.ceil(statementTimeoutMs * 0.5),
  };
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number`);
  return value;
}

/** `2026-11-29 21:49:07.123456+00` → `2026-11-29T21:49:07.123456Z`; the session's time zone is UTC. */
function rfc3339(text: string): string {
  return text.replace(' ', 'T').replace(/\+00$/, 'Z');
}
