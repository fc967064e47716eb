import {
  containerPlace,
  isSamePlace,
  scopeOf,
  scopesAround,
  type PipelineDefinition,
  type StepPlace,
} from '#libs/domain';
import type { Advance } from './advance/advance-run.js';
import type { StepRunRecord } from './ports/run-records.port.js';

/** What the `retry` verb does with the steps of a run that has ended. */
export type RetryPlan = {
  /** All of them that start anew in some way. */
  all: StepRunRecord[];
  /** Never reached a worker: decided anew, because what they depend on may succeed now, and their `when` may be mended. */
  undecided: StepRunRecord[];
  /** Loops that go on with the items and rounds that did not succeed. */
  loops: StepRunRecord[];
  /** Queued again, with what their journals and conversations hold. */
  begun: StepRunRecord[];
};

/** Pure. Steps in a loop that succeeded (it may have gone on over failures) stay as they are. */
export function planRetry(definition: PipelineDefinition, rows: readonly StepRunRecord[]): RetryPlan {
  const done = rows.filter((row) => isLoopRow(row) && row.status === 'succeeded');
  const all = rows.filter((row) => row.status !== 'succeeded' && !done.some((loop) => isInside(definition, row, loop)));
  const loops = all.filter((row) => isLoopRow(row) && row.startedAt !== null);
  const undecided = all.filter((row) => !loops.includes(row) && row.starts === 0 && row.dispatchedAt === null);
  return { all, loops, undecided, begun: all.filter((row) => !loops.includes(row) && !undecided.includes(row)) };
}

const isLoopRow = ({ kind }: StepRunRecord): boolean => kind === 'for_each' || kind === 'repeat';

function isInside(definition: PipelineDefinition, inner: StepPlace, loop: StepPlace): boolean {
  const scope = scopeOf(definition, inner);
  if (scope === null) return false;
  return [scope, ...scopesAround(definition, scope)].some((one) => {
    const place = containerPlace(one);
    return place !== null && isSamePlace(place, loop);
  });
}

/** The loop is under way again; its outputs so far are kept. */
export async function reopenLoop(
  { tx, run, recorder, definition }: Pick<Advance, 'tx' | 'run' | 'recorder' | 'definition'>,
  loop: StepRunRecord,
  rows: readonly StepRunRecord[],
): Promise<void> {
  const attempt = loop.attempt + 1;
  const inside = rows.filter((row) => isInside(definition, row, loop));
  const round = Math.max(0, ...inside.map((row) => row.round));
  const key = loop.kind === 'repeat' ? String(round) : null;
  recorder.ofStep(loop, 'StepQueued', [run.generation], { kind: loop.kind, attempt });
  recorder.ofStep(loop, 'StepWaiting', ['open', run.generation], { reason: 'children', key, due_at: null });
  const patch = { status: 'waiting', reason: 'children', waitingKey: key, attempt } as const;
  await tx.updateStepRun(loop.projectId, loop.stepRunId, { reopened: true, clockStopped: true, ...patch });
  if (loop.kind !== 'for_each') return;
  const open = (await tx.items(loop)).filter(({ status }) => status !== 'succeeded').map(({ item }) => item);
  const begun = new Set(inside.map((row) => row.item));
  const reopened = {
    running: open.filter((item) => begun.has(item)),
    pending: open.filter((item) => !begun.has(item)),
  };
  recorder.ofStep(loop, 'ItemsReopened', [run.generation], reopened);
  await tx.reopenItems(loop, reopened);
}
