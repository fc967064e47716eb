import { sql } from 'kysely';
import type { Json } from '#libs/domain';
import type { PageRequest, ReadDatabase } from './read-database.js';

export type QueueCounts = {
  /** Runnable and still in Postgres. */
  runnable: number;
  /** Handed to the queue and not yet claimed. */
  dispatched: number;
  running: number;
  waiting: number;
  /** Since when the oldest runnable one is runnable. */
  oldestRunnableAt: string | null;
};

/** Of one project, or of the installation when `projectId` is null. */
export async function countSteps(db: ReadDatabase, projectId: string | null): Promise<QueueCounts> {
  let query = db
    .selectFrom('step_run')
    .select([
      sql<number>`count(*) filter (where status = 'queued' and dispatched_at is null)`.as('runnable'),
      sql<number>`count(*) filter (where status = 'queued' and dispatched_at is not null)`.as('dispatched'),
      sql<number>`count(*) filter (where status = 'running')`.as('running'),
      sql<number>`count(*) filter (where status = 'waiting')`.as('waiting'),
      sql<string | null>`min(queued_at) filter (where status = 'queued')`.as('oldestRunnableAt'),
    ])
    // The partial indexes of the outbox answer this; ended steps are many and not asked.
    .where('status', 'in', ['queued', 'running', 'waiting']);
  if (projectId !== null) query = query.where('project_id', '=', projectId);
  return query.executeTakeFirstOrThrow();
}

export async function countCompactions(db: ReadDatabase, projectId: string | null): Promise<QueueCounts> {
  let query = db
    .selectFrom('compaction')
    .select([
      sql<number>`count(*) filter (where status = 'requested' and dispatched_at is null)`.as('runnable'),
      sql<number>`count(*) filter (where status = 'requested' and dispatched_at is not null)`.as('dispatched'),
      sql<number>`count(*) filter (where status = 'running')`.as('running'),
      sql<number>`0::bigint`.as('waiting'),
      sql<string | null>`min(queued_at) filter (where status = 'requested')`.as('oldestRunnableAt'),
    ])
    .where('status', 'in', ['requested', 'running']);
  if (projectId !== null) query = query.where('project_id', '=', projectId);
  return query.executeTakeFirstOrThrow();
}

export type WorkerRow = {
  workerId: string;
  kind: 'steps' | 'compactions';
  running: number;
  /** Leases that have run out: the worker is gone or hangs, and the sweeper will take its work. */
  expired: number;
  oldestStartedAt: string | null;
  leaseUntil: string | null;
};

/** Workers that hold leases on this project's work; idle ones hold none and are not seen here. */
export async function listWorkers(db: ReadDatabase, projectId: string): Promise<WorkerRow[]> {
  const steps = db
    .selectFrom('step_run')
    .select([
      sql<string>`worker_id`.as('workerId'),
      sql<'steps' | 'compactions'>`'steps'`.as('kind'),
      sql<number>`count(*)`.as('running'),
      sql<number>`count(*) filter (where lease_until < now())`.as('expired'),
      sql<string | null>`min(started_at)`.as('oldestStartedAt'),
      sql<string | null>`max(lease_until)`.as('leaseUntil'),
    ])
    .where('project_id', '=', projectId)
    .where('handed_out', '=', true)
    .where('status', '=', 'running')
    .where('worker_id', 'is not', null)
    .groupBy('worker_id');
  const compactions = db
    .selectFrom('compaction')
    .select([
      sql<string>`worker_id`.as('workerId'),
      sql<'steps' | 'compactions'>`'compactions'`.as('kind'),
      sql<number>`count(*)`.as('running'),
      sql<number>`count(*) filter (where lease_until < now())`.as('expired'),
      sql<string | null>`min(queued_at)`.as('oldestStartedAt'),
      sql<string | null>`max(lease_until)`.as('leaseUntil'),
    ])
    .where('project_id', '=', projectId)
    .where('status', '=', 'running')
    .where('worker_id', 'is not', null)
    .groupBy('worker_id');
  return steps.unionAll(compactions).orderBy('workerId').orderBy('kind').execute();
}

export type DeadLetterRow = {
  stepRunId: string;
  runId: string;
  pipeline: string;
  stepId: string;
  item: number | null;
  round: number;
  attempt: number;
  starts: number;
  error: Json;
  deadAt: string;
};
export type DeadLetterKey = { deadAt: string; stepRunId: string };

/** Newest first. */
export async function listDeadLetters(
  db: ReadDatabase,
  projectId: string,
  page: PageRequest<DeadLetterKey>,
): Promise<DeadLetterRow[]> {
  let query = deadLetters(db, projectId)
    .orderBy(sql`coalesce(step_run.ended_at, step_run.queued_at)`, 'desc')
    .orderBy('step_run.step_run_id', 'desc');
  const { after } = page;
  if (after !== null) {
    query = query.where(
      sql<boolean>`(coalesce(step_run.ended_at, step_run.queued_at), step_run.step_run_id) < (${after.deadAt}::timestamptz, ${after.stepRunId})`,
    );
  }
  return query.limit(page.limit + 1).execute();
}

/** Null: there is no such step run, or it is no dead letter (any more). */
export async function findDeadLetter(
  db: ReadDatabase,
  projectId: string,
  stepRunId: string,
): Promise<DeadLetterRow | null> {
  const row = await deadLetters(db, projectId).where('step_run.step_run_id', '=', stepRunId).executeTakeFirst();
  return row ?? null;
}

function deadLetters(db: ReadDatabase, projectId: string) {
  return db
    .selectFrom('step_run')
    .innerJoin('run', (join) =>
      join.onRef('run.project_id', '=', 'step_run.project_id').onRef('run.run_id', '=', 'step_run.run_id'),
    )
    .select([
      'step_run.step_run_id as stepRunId',
      'step_run.run_id as runId',
      'run.pipeline',
      'step_run.step_id as stepId',
      'step_run.item',
      'step_run.round',
      'step_run.attempt',
      'step_run.starts',
      'step_run.error',
      sql<string>`coalesce(step_run.ended_at, step_run.queued_at)`.as('deadAt'),
    ])
    .where('step_run.project_id', '=', projectId)
    .where('step_run.status', '=', 'dead_letter');
}

export type AuditRow = {
  auditId: number;
  actor: string;
  action: string;
  subject: string;
  detail: Json;
  recordedAt: string;
};

/** Newest first. */
export async function listAuditLog(
  db: ReadDatabase,
  projectId: string,
  page: PageRequest<number>,
): Promise<AuditRow[]> {
  let query = db
    .selectFrom('audit_log')
    .select(['audit_id as auditId', 'actor', 'action', 'subject', 'detail', 'recorded_at as recordedAt'])
    .where('project_id', '=', projectId)
    .orderBy('audit_id', 'desc');
  if (page.after !== null) query = query.where('audit_id', '<', page.after);
  return query.limit(page.limit + 1).execute();
}
