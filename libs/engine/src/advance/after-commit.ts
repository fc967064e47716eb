import { dispatchNow } from '../dispatch/dispatch-now.js';
import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import type { RunRecord } from '../ports/run-records.port.js';
import { acquireAndAdvance } from '../start-run/acquire-and-advance.js';
import { advanceRun, type Advanced } from './advance-run.js';
import { tellOfChild } from './end-of-child.js';
import { requestCancel, tellCancelled } from './request-cancel.js';
import { RunRecorder } from './run-recorder.js';

/**
 * Wake-ups after a commit, and what follows from it in other runs. All of it may get lost: the relay, the sweeper and the
 * pollers find the same from the rows. Never throws. Where answers must not wait for the queue (row C5), the caller goes
 * on after `wakeUpWaitMs`. `pushing`: what was dispatched has been sent to the queue already.
 */
export async function afterCommit(deps: EngineDeps, advanced: Advanced, pushing?: Promise<void>): Promise<void> {
  const { wakeUpWaitMs } = deps.settings;
  const done = wakeUp(deps, advanced, pushing);
  if (wakeUpWaitMs === undefined) return done;
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, wakeUpWaitMs);
  });
  await Promise.race([done, enough]);
  clearTimeout(timer);
}

async function wakeUp(deps: EngineDeps, advanced: Advanced, pushing?: Promise<void>): Promise<void> {
  await dispatchNow(deps, advanced.runnable, advanced.dispatched, pushing);
  if (advanced.ended !== null) deps.logger.debug({ run_id: advanced.runId, status: advanced.ended }, 'run ended');
  try {
    await deps.wakeups.publishProgress(advanced.runId);
    await stopElsewhere(deps, advanced);
    if (advanced.ended !== null || advanced.streamReleased) await startNext(deps, advanced);
    if (advanced.ended !== null) await tellParentAndNext(deps, advanced);
  } catch (error) {
    deps.logger.warn(
      { run_id: advanced.runId, error: String(error) },
      'wake-up failed; the sweeper finds what it was for',
    );
  }
}

/** Steps that ended without their worker (their leases are gone, so a heartbeat finds the same), and runs that they started. */
async function stopElsewhere(deps: EngineDeps, advanced: Advanced): Promise<void> {
  for (const stepRunId of advanced.stopped) {
    deps.held.stopStep(stepRunId, 'fenced');
    await deps.wakeups.publishCancel(stepRunId);
  }
  for (const runId of await deps.runs.openChildren(advanced.childrenOf)) {
    const reason = `run ${advanced.runId} ended its step`;
    const child = await requestCancel(deps, { projectId: advanced.projectId, runId, reason }, null);
    if (child.advanced === null) continue;
    await tellCancelled(deps, runId);
    await afterCommit(deps, child.advanced);
  }
}

async function tellParentAndNext(deps: EngineDeps, advanced: Advanced): Promise<void> {
  const { projectId, parentStepRunId, concurrency } = advanced;
  if (concurrency !== null) {
    const next = await deps.runs.nextOfConcurrency({ projectId, ...concurrency });
    if (next !== null) await beginRun(deps, projectId, next);
  }
  const parent = parentStepRunId === null ? null : await deps.runs.getStepRun(parentStepRunId);
  const ended = parent === null ? null : await tellOfChild(deps, parent, advanced.runId);
  if (ended !== null) await afterCommit(deps, ended);
}

async function startNext(deps: EngineDeps, advanced: Advanced): Promise<void> {
  const next = await deps.runs.nextOnStream(advanced.projectId, advanced.streamId);
  if (next !== null) await beginRun(deps, advanced.projectId, next);
}

/**
 * Starts a queued run whose stream or slot has become free, or goes on with one that waits for its stream again. Another
 * process may have been faster: then nothing happens.
 */
export async function beginRun(deps: EngineDeps, projectId: string, runId: string): Promise<void> {
  const known = await deps.runs.getRun(projectId, runId);
  if (known === null) return;
  const definition = await loadDefinition(deps, projectId, known.pipeline, known.pipelineVersion);
  const advanced = await deps.runs.transact(async (tx) => {
    const run = await tx.lockRun(projectId, runId);
    if (run === null || !isInLine(run)) return null;
    const recorder = new RunRecorder(deps, run);
    const begin = { deps, tx, run, definition, recorder };
    const begun = run.status === 'queued' ? await acquireAndAdvance(begin) : await advanceRun(begin, 'all');
    await recorder.flush(tx);
    return begun;
  });
  if (advanced !== null) await afterCommit(deps, advanced);
}

const isInLine = ({ status, statusReason }: RunRecord): boolean =>
  status === 'queued' || (status === 'waiting' && statusReason === 'stream_busy');
