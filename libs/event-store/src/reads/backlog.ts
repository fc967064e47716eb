import { sql } from 'kysely';
import type { ReadDatabase } from './read-database.js';

/** What waits in the installation. Ages in seconds, 0 when there is nothing. */
export type Backlog = {
  /** Steps that can run and are not in the queue yet, and how long the first of them has been so. */
  outboxSteps: number;
  outboxAgeS: number;
  /** Steps that are in the queue and that no worker has taken. */
  queueSteps: number;
  queueAgeS: number;
  compactionOutboxAgeS: number;
  compactionQueueAgeS: number;
  runsQueued: number;
  runsRunning: number;
  runsWaiting: number;
  runsCancelling: number;
  /** How long the oldest transaction that wrote has been open: the feed shows nothing that is newer. */
  feedLagS: number;
};

const age = (column: string, condition: string) =>
  sql.raw<number>(
    `coalesce(extract(epoch from clock_timestamp() - min(${column}) filter (where ${condition})), 0)::float8`,
  );

/** By the partial indexes of what is open. */
export async function measureBacklog(db: ReadDatabase): Promise<Backlog> {
  const [steps, compactions, runs, feed] = await Promise.all([
    db
      .selectFrom('step_run')
      .select([
        sql<number>`count(*) filter (where in_outbox)`.as('outboxSteps'),
        age('queued_at', 'in_outbox').as('outboxAgeS'),
        sql<number>`count(*) filter (where status = 'queued' and handed_out)`.as('queueSteps'),
        age('dispatched_at', `status = 'queued' and handed_out`).as('queueAgeS'),
      ])
      .where((eb) => eb.or([eb('in_outbox', '=', true), eb('handed_out', '=', true)]))
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('compaction')
      .select([
        age('queued_at', 'dispatched_at is null').as('compactionOutboxAgeS'),
        age('dispatched_at', 'dispatched_at is not null').as('compactionQueueAgeS'),
      ])
      .where('status', '=', 'requested')
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('run')
      .select([
        sql<number>`count(*) filter (where status = 'queued')`.as('runsQueued'),
        sql<number>`count(*) filter (where status = 'running')`.as('runsRunning'),
        sql<number>`count(*) filter (where status = 'waiting')`.as('runsWaiting'),
        sql<number>`count(*) filter (where status = 'cancelling')`.as('runsCancelling'),
      ])
      .where('ended_at', 'is', null)
      .executeTakeFirstOrThrow(),
    sql<{ feedLagS: number }>`
      select coalesce(extract(epoch from clock_timestamp() - min(xact_start)), 0)::float8 as "feedLagS"
      from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()`.execute(db),
  ]);
  return { ...steps, ...compactions, ...runs, feedLagS: feed.rows[0]?.feedLagS ?? 0 };
}
