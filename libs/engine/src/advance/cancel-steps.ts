import { isInsideLoop } from '#libs/domain';
import type { StepRunRecord } from '../ports/run-records.port.js';
import type { Advance, Advanced } from './advance.js';

type Closing = Pick<Advanced, 'stopped' | 'childrenOf'>;

/** Waiting and queued steps are cancelled at once; running ones end at their next turn boundary. True when none runs. */
export async function cancelOpenSteps(advance: Advance, advanced: Closing): Promise<boolean> {
  const { tx, run } = advance;
  const open = await tx.openStepRuns(run.projectId, run.runId);
  for (const row of open) if (row.status !== 'running') await cancelStep(advance, advanced, row);
  return !open.some((row) => row.status === 'running');
}

/** Ends a step as cancelled, whoever holds it: what a worker still writes about it is refused. */
export async function cancelStep(advance: Advance, advanced: Closing, row: StepRunRecord): Promise<void> {
  const { tx, run, recorder } = advance;
  await closeOwn(advance, advanced, row);
  recorder.ofStep(row, 'StepCancelled', [row.fence, run.generation], {});
  if (row.kind === 'agent')
    recorder.inConversation(row, 'ConversationInterrupted', ['cancelled', row.fence, run.generation], {
      reason: 'cancelled',
    });
  await tx.updateStepRun(row.projectId, row.stepRunId, { status: 'cancelled', reason: null, ended: true });
  if (row.status === 'running') advanced.stopped.push(row.stepRunId);
}

/** What a step that ends leaves open: its waits, its approvals, the runs it started, and the steps of its body. */
export async function closeStep(advance: Advance, advanced: Closing, row: StepRunRecord): Promise<void> {
  await closeOwn(advance, advanced, row);
  if (row.kind !== 'for_each' && row.kind !== 'repeat') return;
  const { tx, run, definition } = advance;
  for (const inner of await tx.openStepRuns(run.projectId, run.runId))
    if (isInsideLoop(definition, inner, row)) await cancelStep(advance, advanced, inner);
}

async function closeOwn({ tx }: Advance, advanced: Closing, row: StepRunRecord): Promise<void> {
  await tx.removeWaits(row.projectId, row.stepRunId);
  if (row.kind === 'approval' || row.kind === 'agent' || row.kind === 'tool')
    await tx.cancelApprovals(row.projectId, row.stepRunId);
  if (row.kind === 'for_each') await tx.cancelItems(row);
  if (row.kind === 'pipeline' || row.kind === 'agent') advanced.childrenOf.push(row.stepRunId);
}
