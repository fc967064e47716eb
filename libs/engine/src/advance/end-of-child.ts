import { canonicalJson, isEndedRun, type Json, type RunError } from '#libs/domain';
import { toolRunId } from '../call-tools/tool-run-id.js';
import type { EngineDeps } from '../engine-deps.js';
import type { RunRecord, StepRunRecord } from '../ports/run-records.port.js';
import type { Advance, Advanced } from './advance.js';
import { pendingCalls, recordFinalResult } from '../waits/pending-calls.js';
import { wakeStep } from '../waits/wake-step.js';
import { changeLockedStep } from './change-locked-step.js';

/** A run that a step started has ended. Of an agent's tool it is the result; a `pipeline` step that waits for it ends too. */
export async function tellOfChild(deps: EngineDeps, parent: StepRunRecord, childId: string): Promise<Advanced | null> {
  return parent.kind === 'agent' ? resultOfChild(deps, parent, childId) : endOfChild(deps, parent);
}

/** Null: there is no call that waits for this run, or it has not ended. */
async function resultOfChild(
  deps: EngineDeps,
  { projectId, stepRunId, runId }: StepRunRecord,
  childId: string,
): Promise<Advanced | null> {
  const child = await deps.runs.getRun(projectId, childId);
  if (child === null || !isEndedRun(child.status)) return null;
  return changeLockedStep(deps, { projectId, runId, stepRunId }, async (advance, row) => {
    const call = (await pendingCalls(advance, row)).find(
      ({ call_no: callNo, ordinal }) => toolRunId(stepRunId, callNo, ordinal) === childId,
    );
    if (call === undefined) return null;
    const isOk = child.status === 'succeeded';
    recordFinalResult(advance, row, call, isOk ? 'ok' : 'error', isOk ? outputText(child.output) : whyNot(child));
    const waits = row.status === 'waiting' && (row.reason === 'signal' || row.reason === 'approval');
    return waits ? wakeStep(advance, row) : [];
  });
}

const outputText = (output: Json): string => (typeof output === 'string' ? output : canonicalJson(output));

const whyNot = (child: RunRecord): string =>
  `Run ${child.runId} of ${child.pipeline} ${child.status}: ${child.error?.detail ?? child.cancelReason ?? 'no detail'}`;

/** The run that a `pipeline` step waits for has ended: so does the step. Null: it goes on, or the step does not wait any more. */
export async function endOfChild(
  deps: EngineDeps,
  at: { projectId: string; runId: string; stepRunId: string },
): Promise<Advanced | null> {
  const step = await deps.runs.getStepRun(at.stepRunId);
  const childId = step?.status === 'waiting' ? step.waitingKey : null;
  if (childId == null) return null;
  const child = await deps.runs.getRun(at.projectId, childId);
  if (child === null || !isEndedRun(child.status)) return null;
  return changeLockedStep(deps, at, async (advance, row) => {
    if (row.status !== 'waiting' || row.kind !== 'pipeline' || row.waitingKey !== child.runId) return null;
    await writeEnd(advance, row, child);
    return [];
  });
}

async function writeEnd({ tx, run, recorder }: Advance, row: StepRunRecord, child: RunRecord): Promise<void> {
  const { projectId, stepRunId } = row;
  await tx.removeWaits(projectId, stepRunId);
  if (child.status === 'succeeded') {
    recorder.ofStep(row, 'StepSucceeded', ['child', child.runId], { output: child.output });
    const patch = { status: 'succeeded', reason: null, output: child.output, error: null, ended: true } as const;
    return tx.updateStepRun(projectId, stepRunId, patch);
  }
  const why = child.error?.detail ?? child.cancelReason ?? 'no detail';
  const error: RunError = {
    code: child.error?.code ?? `child_${child.status}`,
    detail: `run ${child.runId} of ${child.pipeline} ${child.status}: ${why}`,
    step_id: row.stepId,
  };
  recorder.ofStep(row, 'StepFailed', [row.attempt, run.generation], { attempt: row.attempt, error });
  await tx.updateStepRun(projectId, stepRunId, { status: 'failed', reason: null, error, ended: true });
}
