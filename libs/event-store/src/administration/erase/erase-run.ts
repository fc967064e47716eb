import { sql, type Kysely } from 'kysely';
import type { RunStatus } from '#libs/domain';
import type { DatabaseSchema } from '../../schema/database-schema.js';
import { recordAudit } from '../audit.js';
import { eraseEvents, eraseTraces } from './erase-events.js';
import { eraseRunRows } from './erase-run-rows.js';

type Db = Kysely<DatabaseSchema>;
type Run = { run_id: string; stream_id: string; status: RunStatus; ended: boolean };

export type EraseResult =
  | { status: 'erased' }
  | { status: 'not_found' }
  /** A run of it is under way. */
  | { status: 'not_ended'; runId: string; runStatus: RunStatus };

/**
 * Erases what an ended run and the runs it started held: its inputs, outputs, conversation, memory, and summaries over
 * them. A stream of its own goes with it. Erasing again changes nothing.
 */
export async function eraseRun(
  db: Db,
  { projectId, runId, actor }: { projectId: string; runId: string; actor: string },
): Promise<EraseResult> {
  return db.transaction().execute(async (tx): Promise<EraseResult> => {
    const runs = await lockRuns(
      tx,
      projectId,
      sql`run_id = ${runId} or (ancestors @> array[${runId}] and ancestors <> '{}')`,
    );
    if (!runs.some((run) => run.run_id === runId)) return { status: 'not_found' };
    // A run under way on the same stream may have read what is to go.
    const others = await lockRuns(
      tx,
      projectId,
      sql`stream_id = any(${runs.map((run) => run.stream_id)}::text[]) and started_at is not null and ended_at is null`,
    );
    const open = [...runs, ...others].find((run) => !run.ended);
    if (open !== undefined) return { status: 'not_ended', runId: open.run_id, runStatus: open.status };
    for (const run of runs) await eraseRunEvents(tx, projectId, run);
    const ids = runs.map((run) => run.run_id);
    await eraseRunRows(tx, projectId, ids);
    await recordAudit(tx, { projectId, actor, action: 'run.erased', subject: runId, detail: { runs: ids } });
    return { status: 'erased' };
  });
}

/** Erases a stream with its sub-streams, memory and runs; of a sub-stream that conversation alone. */
export async function eraseStream(
  db: Db,
  { projectId, streamId, actor }: { projectId: string; streamId: string; actor: string },
): Promise<EraseResult> {
  const [root = streamId] = streamId.split(':');
  return db.transaction().execute(async (tx): Promise<EraseResult> => {
    const { rows } = await sql`
      select 1 from stream where project_id = ${projectId} and stream_id = ${streamId} for update`.execute(tx);
    if (rows.length === 0) return { status: 'not_found' };
    const runs = await lockRuns(tx, projectId, sql`stream_id = ${root}`);
    const open = runs.find((run) => !run.ended);
    if (open !== undefined) return { status: 'not_ended', runId: open.run_id, runStatus: open.status };
    const below = sql`starts_with(e.stream_id, ${`${streamId}:`})`;
    const logs = await eraseEvents(tx, projectId, sql`e.stream_id = ${streamId} or ${below}`);
    for (const log of logs) await eraseTraces(tx, projectId, log);
    if (root === streamId)
      await eraseRunRows(
        tx,
        projectId,
        runs.map((run) => run.run_id),
      );
    await recordAudit(tx, { projectId, actor, action: 'stream.erased', subject: streamId, detail: {} });
    return { status: 'erased' };
  });
}

async function lockRuns(db: Db, projectId: string, which: ReturnType<typeof sql>): Promise<Run[]> {
  const { rows } = await sql<Run>`
    select run_id, stream_id, status, ended_at is not null as ended from run
    where project_id = ${projectId} and (${which}) order by run_id for update`.execute(db);
  return rows;
}

async function eraseRunEvents(db: Db, projectId: string, { run_id: runId, stream_id: stream }: Run): Promise<void> {
  const own =
    runId === stream
      ? sql`e.run_id = ${runId} or e.stream_id = ${stream} or starts_with(e.stream_id, ${`${stream}:`})`
      : sql`e.run_id = ${runId}`;
  const memoryFrom = await firstMemory(db, projectId, runId);
  const logs = await eraseEvents(db, projectId, own);
  // What other runs were shown of its memory.
  const shown =
    memoryFrom === null
      ? []
      : await eraseEvents(
          db,
          projectId,
          sql`starts_with(e.stream_id, ${`${stream}:`}) and e.type = 'MemoryShown' and (e.data->>'memory_seq')::bigint >= ${memoryFrom}`,
        );
  for (const log of [...logs, ...shown]) await eraseTraces(db, projectId, log);
}

async function firstMemory(db: Db, projectId: string, runId: string): Promise<number | null> {
  const found = await db
    .selectFrom('event')
    .select((eb) => eb.fn.min<number | null>('seq').as('seq'))
    .where('project_id', '=', projectId)
    .where('run_id', '=', runId)
    .where('type', '=', 'MemoryWritten')
    .executeTakeFirst();
  return found?.seq ?? null;
}
