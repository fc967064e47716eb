import { isEndedStep } from '#libs/domain';
import type { Advance } from '../advance/advance-run.js';
import type { EngineDeps } from '../engine-deps.js';
import type { StepRunRecord } from '../ports/run-records.port.js';
import { STEP_TIMED_OUT } from '../run-step/step-outcome.js';
import { writeFailure } from '../settle-step.js';
import { endDueWait } from '../waits/end-wait.js';
import { wakeStep } from '../waits/wake-step.js';
import { changeStep } from './change-step.js';

type DueStep = { projectId: string; runId: string; stepRunId: string };

/** A timer that is due, or a wait that expired: the step is runnable again. False: it does not wait any more. */
export function wakeDueStep(deps: EngineDeps, due: DueStep): Promise<boolean> {
  return changeStep(deps, due, async (advance, row) => {
    if (row.status !== 'waiting' || row.reason === null) return null;
    if (isOpenWait(row.kind)) return endDueWait(advance, row);
    // People and other runs end these, no clock.
    if (row.reason !== 'compaction' && row.reason !== 'timer' && row.reason !== 'rate_limit') return null;
    if (row.reason === 'compaction') await recordCompactionWait(advance, row);
    return wakeStep(advance, row);
  });
}

/** How long it was waited for; of one that did not come in time also the event that sends the next build down the ladder. */
async function recordCompactionWait({ tx, recorder }: Advance, row: StepRunRecord): Promise<void> {
  for (const wait of await tx.waitsOf(row.projectId, row.stepRunId)) {
    if (wait.kind !== 'compaction') continue;
    await tx.updateCompaction(row.projectId, wait.key, { waitedMs: wait.waitedMs });
    if (!wait.isDue) continue;
    const compaction = await tx.lockCompaction(row.projectId, wait.key);
    if (compaction === null || compaction.endedAt !== null) continue;
    const waitedMs = Math.max(0, (await tx.now()) - Date.parse(compaction.requestedAt));
    recorder.inConversation(row, 'CompactionWaitExpired', [wait.key, row.fence], {
      compaction_id: wait.key,
      waited_ms: waitedMs,
    });
  }
}

/**
 * A step past its timeout whose worker did not end it: that worker is fenced out, then the failure is settled as any. Compared
 * with the time at which the database found it: clocks of processes may be wrong. False: it has been settled.
 */
export function settleDueStep(deps: EngineDeps, due: DueStep & { asOf: string }): Promise<boolean> {
  return changeStep(deps, due, async (advance, row) => {
    if (isEndedStep(row.status) || row.timeoutAt === null || Date.parse(row.timeoutAt) > Date.parse(due.asOf))
      return null;
    await advance.tx.removeWaits(row.projectId, row.stepRunId);
    await writeFailure(advance, row, { kind: 'step_timeout', detail: STEP_TIMED_OUT, retryAfterMs: null });
    return [];
  });
}

/** Kinds that no worker runs: their time ends them. */
const isOpenWait = (kind: string): boolean => kind === 'sleep' || kind === 'approval' || kind === 'wait_for';
