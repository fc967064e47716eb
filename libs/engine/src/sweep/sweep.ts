import type { EngineDeps } from '../engine-deps.js';
import { beginRun } from '../start-run/begin-run.js';
import { advanceStuckRun } from './advance-stuck-run.js';
import { settleExpiredLease } from './settle-expired-lease.js';
import { settleDueStep, wakeDueStep } from './settle-due-step.js';
import { stopRun } from '../cancel-run.js';

/** How many rows one sweep takes of each kind; the next one takes the rest. */
const BATCH = 200;
/** A dispatched job is looked for in the queue once it has been there this long. */
const MISSING_AFTER_MS = 2_000;

export type SweepReport = {
  expiredLeases: number;
  redispatched: number;
  woken: number;
  timedOutRuns: number;
  timedOutSteps: number;
  begunRuns: number;
  advancedRuns: number;
  failures: number;
};

/**
 * Finds what got lost and sets it going again: expired leases, dispatched jobs that the queue does not have, due waits,
 * runs and steps past their time, runs whose stream is free, runs whose steps have all ended. Any number of processes may
 * sweep at once; each fix re-checks under lock. One bad row never stops the rest.
 */
export async function sweep(deps: EngineDeps): Promise<SweepReport> {
  const report = emptyReport();
  await each(deps, report, 'expiredLeases', () => deps.runs.findExpiredLeases(BATCH), (step) => settleExpiredLease(deps, step));
  await each(deps, report, 'timedOutRuns', () => deps.runs.findDueRuns(BATCH), async ({ projectId, runId }) => {
    await stopRun(deps, { projectId, runId, reason: 'run_timeout' }, 'run_timeout');
  });
  await each(deps, report, 'timedOutSteps', () => deps.runs.findDueSteps(BATCH), (due) => settleDueStep(deps, due));
  await each(deps, report, 'begunRuns', () => deps.runs.findStartableRuns(BATCH), ({ projectId, runId }) => beginRun(deps, projectId, runId));
  await each(deps, report, 'advancedRuns', () => deps.runs.findStuckRuns(BATCH), ({ projectId, runId }) => advanceStuckRun(deps, projectId, runId));
  await each(deps, report, 'woken', () => deps.compactions.findWaitersOfEndedCompactions(BATCH), (waiter) => wakeDueStep(deps, waiter));
  await each(deps, report, 'expiredLeases', () => deps.compactions.findExpiredCompactions(BATCH), ({ compactionId, dispatchNo }) =>
    deps.compactions.redispatchCompactions([{ compactionId, dispatchNo }]),
  );
  report.redispatched = await redispatchMissing(deps, report);
  return report;
}

function emptyReport(): SweepReport {
  return { expiredLeases: 0, redispatched: 0, woken: 0, timedOutRuns: 0, timedOutSteps: 0, begunRuns: 0, advancedRuns: 0, failures: 0 };
}

/** Due timers and expired waits; runs each second, because a retry's back-off may be short. */
export async function wakeDue(deps: EngineDeps): Promise<number> {
  const report = emptyReport();
  await each(deps, report, 'woken', () => deps.runs.findDueWaits(BATCH), (due) => wakeDueStep(deps, due));
  return report.woken;
}

async function redispatchMissing(deps: EngineDeps, report: SweepReport): Promise<number> {
  try {
    const missing = await deps.queue.findMissing(await deps.runs.findDispatched(MISSING_AFTER_MS, BATCH));
    if (missing.length > 0) await deps.runs.redispatch(missing);
    const compactions = await deps.queue.findMissingCompactions(await deps.compactions.findDispatchedCompactions(MISSING_AFTER_MS, BATCH));
    if (compactions.length > 0) await deps.compactions.redispatchCompactions(compactions);
    return missing.length + compactions.length;
  } catch (error) {
    report.failures += 1;
    deps.logger.warn({ error: String(error) }, 'the queue could not be compared with the store; next sweep');
    return 0;
  }
}

async function each<Row>(deps: EngineDeps, report: SweepReport, key: keyof SweepReport, find: () => Promise<Row[]>, fix: (row: Row) => Promise<void>): Promise<void> {
  for (const row of await find()) {
    try {
      await fix(row);
      report[key] += 1;
    } catch (error) {
      report.failures += 1;
      deps.logger.error({ sweep: key, error: String(error) }, 'sweep could not mend a row; the others go on');
    }
  }
}
