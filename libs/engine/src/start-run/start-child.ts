import { AppError } from '#libs/domain';
import type { Advance, Advanced, ToPush } from '../advance/advance.js';
import { RunRecorder } from '../advance/run-recorder.js';
import type { StepRunRecord } from '../ports/run-records.port.js';
import type { ChildRun } from '../run-step/step-outcome.js';
import { acquireAndAdvance } from './acquire-and-advance.js';

/**
 * Stores the child run and makes its step wait for it: one transaction, so there is one child and its end is not missed.
 * Returns the child's first steps, to be pushed after the commit.
 */
export async function startChild(advance: Advance, row: StepRunRecord, child: ChildRun): Promise<ToPush> {
  const { tx, recorder } = advance;
  const { runId } = child.run;
  recorder.ofStep(row, 'StepWaiting', [row.fence], { reason: 'children', key: runId, due_at: null });
  await tx.addWait(row.projectId, row.stepRunId, { kind: 'children', key: runId, dueInMs: null });
  await tx.updateStepRun(row.projectId, row.stepRunId, { status: 'waiting', reason: 'children', waitingKey: runId });
  const begun = await storeChild(advance, row, child);
  return begun ?? { runnable: [], dispatched: [] };
}

/** The row of a child run, its first event and, when its stream is free, its first steps. */
export async function storeChild(
  { tx, deps }: Pick<Advance, 'tx' | 'deps'>,
  row: StepRunRecord,
  child: ChildRun,
): Promise<Advanced | null> {
  const { runId } = child.run;
  await tx.insertRun(child.run);
  const record = await tx.lockRun(child.run.projectId, runId);
  if (record === null) throw new AppError('run_missing', `run ${runId} is not there right after its insert`);
  const own = new RunRecorder(deps, record);
  own.ofRun('RunCreated', [], {
    pipeline: { name: record.pipeline, version: record.pipelineVersion },
    inputs: record.inputs,
    tags: record.tags,
    metadata: record.metadata,
    priority: record.priority,
    deadline_at: record.deadlineAt,
    parent: { run_id: row.runId, step_id: row.stepId, item: row.item, round: row.round },
    spend_limit: record.spendLimit,
  });
  const begun = await acquireAndAdvance({ deps, tx, run: record, definition: child.definition, recorder: own });
  await own.flush(tx);
  return begun;
}
