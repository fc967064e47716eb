import { AppError, subStreamId, type StoredEvent } from '#libs/domain';
import type { EngineDeps } from './engine-deps.js';
import type { RunRecord, StepRunRecord } from './ports/run-records.port.js';
import { spentOf } from './waits/halt.js';

/** What is not in the rows of a run and explains them. */
export type Circumstances = {
  /** By the database's clock: whole ms since 1970. */
  readonly now: number;
  /** Whether somebody takes what is runnable; asked where a step is. */
  readonly queue: 'served' | 'no_worker' | 'away';
  /** By step run: what its worker does, as a sentence. */
  readonly doing: ReadonlyMap<string, string>;
  /** What was spent of the limit that stopped the run, or one around it; null: none did. */
  readonly spent: string | null;
  /** By id: since when the compactions that steps wait for were requested, those that no compactor holds. */
  readonly unheld: ReadonlyMap<string, string>;
};

/** Of more running steps nobody reads what each does; of more that wait, which compactor each waits for. */
const MOST_LOOKED_AT = 20;

export async function circumstancesOf(
  deps: Pick<EngineDeps, 'runs' | 'log' | 'queue' | 'compactions'>,
  run: RunRecord,
  steps: readonly StepRunRecord[],
): Promise<Circumstances> {
  const running = steps.filter(({ status }) => status === 'running').slice(0, MOST_LOOKED_AT);
  const [now, queue, doing, standing, unheld] = await Promise.all([
    deps.runs.now(),
    steps.some(({ status }) => status === 'queued') ? queueOf(deps) : ('served' as const),
    Promise.all(running.map(async (step) => [step.stepRunId, await doingOf(deps, run, step)] as const)),
    steps.some(({ reason }) => reason === 'spend_limit') ? deps.runs.standing(run.projectId, run.runId) : null,
    unheldOf(deps, steps),
  ]);
  return {
    ...{ now, queue },
    doing: new Map(doing.flatMap(([id, words]) => (words === null ? [] : [[id, words]]))),
    spent: standing === null ? null : spentOf(standing),
    unheld,
  };
}

async function unheldOf(
  { compactions }: Pick<EngineDeps, 'compactions'>,
  steps: readonly StepRunRecord[],
): Promise<Circumstances['unheld']> {
  const waiting = steps.filter(({ status, reason }) => status === 'waiting' && reason === 'compaction');
  const found = await Promise.all(
    waiting
      .slice(0, MOST_LOOKED_AT)
      .flatMap(({ projectId, waitingKey }) =>
        waitingKey === null ? [] : [compactions.getCompaction(projectId, waitingKey)],
      ),
  );
  return new Map(
    found.flatMap((row) => (row?.status === 'requested' ? [[row.compactionId, row.requestedAt] as const] : [])),
  );
}

async function queueOf({ queue }: Pick<EngineDeps, 'queue'>): Promise<Circumstances['queue']> {
  try {
    return (await queue.jobsAtOnce()) === 0 ? 'no_worker' : 'served';
  } catch (error) {
    if (error instanceof AppError && error.code === 'queue_unavailable') return 'away';
    throw error;
  }
}

/** By the last event of the step's conversation; null: it says nothing of what is under way. */
async function doingOf(
  { log }: Pick<EngineDeps, 'log'>,
  { projectId, streamId, runId }: RunRecord,
  { stepId, item, kind }: StepRunRecord,
): Promise<string | null> {
  if (kind !== 'agent') return null;
  const query = { projectId, streamId: subStreamId(streamId, stepId, item), runId, descending: true, limit: 1 };
  const [last] = await log.read(query);
  return last === undefined ? null : doingSince(last);
}

function doingSince({ recordedAt, ...last }: StoredEvent): string | null {
  if (last.type === 'LlmCallStarted')
    return `Model ${last.data.model} was asked at ${recordedAt} (call ${last.data.call_no}) and has not answered yet.`;
  if (last.type === 'ToolCallStarted')
    return `Tool ${last.data.name} was called at ${recordedAt} and has not answered yet.`;
  return last.type === 'ToolCallRequested'
    ? `The tool calls that the model asked for at ${recordedAt} are under way.`
    : null;
}
