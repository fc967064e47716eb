import type { EngineDeps } from '../engine-deps.js';
import { beginRun } from '../advance/after-commit.js';
import { advanceStuckRun } from './advance-stuck-run.js';
import { settleExpiredCompaction } from './settle-expired-compaction.js';
import { settleExpiredLease } from './settle-expired-lease.js';
import { settleDueStep, wakeDueStep } from './settle-due-step.js';
import { cancelRun, stopRun } from '../cancel-run.js';
import { deliverSignal } from '../waits/send-signal.js';
import { unparkStep } from '../waits/unpark-step.js';
import { settleChild } from '../waits/settle-child.js';

/** How many rows one sweep takes of each kind; the next one takes the rest. */
const BATCH = 200;
/** Of those that stopped on purpose: most of them stay where they are. */
const PARKED_BATCH = 50;
/** A dispatched job is looked for in the queue once it has been there this long. */
const MISSING_AFTER_MS = 2_000;

/** How many rows were mended, of each kind; `failures`: could not be. */
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
  for (const fix of fixes(deps)) await mend(deps, report, fix);
  report.redispatched = await redispatchMissing(deps, report);
  return report;
}

/** What to look for, and what to do about each row. To add a fault that heals itself, add a line. */
function fixes(deps: EngineDeps): Fix[] {
  const { runs, compactions } = deps;
  return [
    fix(
      'expiredLeases',
      () => runs.findExpiredLeases(BATCH),
      (step) => settleExpiredLease(deps, step),
    ),
    fix(
      'timedOutRuns',
      () => runs.findDueRuns(BATCH),
      (run) => timeOutRun(deps, run),
    ),
    fix(
      'timedOutSteps',
      () => runs.findDueSteps(BATCH),
      (due) => settleDueStep(deps, due),
    ),
    ...runFixes(deps),
    ...waitFixes(deps),
    fix(
      'woken',
      () => compactions.findWaitersOfEndedCompactions(BATCH),
      (waiter) => wakeDueStep(deps, waiter),
    ),
    fix(
      'expiredLeases',
      () => compactions.findExpiredCompactions(BATCH),
      (compaction) => settleExpiredCompaction(deps, compaction),
    ),
  ];
}

/** Runs that nobody moves. */
function runFixes(deps: EngineDeps): Fix[] {
  const { runs } = deps;
  return [
    fix(
      'begunRuns',
      () => runs.findStartableRuns(BATCH),
      ({ projectId, runId }) => beginRun(deps, projectId, runId),
    ),
    fix(
      'advancedRuns',
      () => runs.findStuckRuns(BATCH),
      ({ projectId, runId }) => advanceStuckRun(deps, projectId, runId),
    ),
  ];
}

/** What a wake-up between runs and their outside was lost for. */
function waitFixes(deps: EngineDeps): Fix[] {
  const { runs } = deps;
  return [
    fix(
      'woken',
      () => runs.findSignalledWaits(BATCH),
      (waiter) => deliverSignal(deps, waiter),
    ),
    fix(
      'woken',
      () => runs.findParkedSteps(PARKED_BATCH),
      (parked) => unparkStep(deps, parked),
    ),
    fix(
      'woken',
      () => runs.findEndedChildWaits(BATCH),
      (waiter) => settleChild(deps, waiter),
    ),
    fix(
      'timedOutRuns',
      () => runs.findOrphanedRuns(BATCH),
      async ({ projectId, runId }) =>
        void (await cancelRun(deps, { projectId, runId, reason: 'its parent has ended' })),
    ),
  ];
}

async function timeOutRun(deps: EngineDeps, { projectId, runId }: { projectId: string; runId: string }): Promise<void> {
  await stopRun(deps, { projectId, runId, reason: 'run_timeout' }, 'run_timeout');
}

function emptyReport(): SweepReport {
  return {
    expiredLeases: 0,
    redispatched: 0,
    woken: 0,
    timedOutRuns: 0,
    timedOutSteps: 0,
    begunRuns: 0,
    advancedRuns: 0,
    failures: 0,
  };
}

/** Due timers and expired waits; runs each second, because a retry's back-off may be short. `more`: ask again at once. */
export async function wakeDue(deps: EngineDeps): Promise<{ woken: number; more: boolean }> {
  const report = emptyReport();
  const due = fix(
    'woken',
    () => deps.runs.findDueWaits(BATCH),
    (wait) => wakeDueStep(deps, wait),
  );
  await mend(deps, report, due);
  return { woken: report.woken, more: report.woken === BATCH };
}

async function redispatchMissing(deps: EngineDeps, report: SweepReport): Promise<number> {
  try {
    const missing = await deps.queue.findMissing(await deps.runs.findDispatched(MISSING_AFTER_MS, BATCH));
    if (missing.length > 0) await deps.runs.redispatch(missing);
    const compactions = await deps.queue.findMissingCompactions(
      await deps.compactions.findDispatchedCompactions(MISSING_AFTER_MS, BATCH),
    );
    if (compactions.length > 0) await deps.compactions.redispatchCompactions(compactions);
    return missing.length + compactions.length;
  } catch (error) {
    report.failures += 1;
    deps.logger.warn({ error: String(error) }, 'the queue could not be compared with the store; next sweep');
    return 0;
  }
}

/** A fix that answers false found nothing to do: another process was faster, or the row is where it should be. */
type Fix = { name: keyof SweepReport; find: () => Promise<(() => Promise<unknown>)[]> };

function fix<Row>(name: keyof SweepReport, find: () => Promise<Row[]>, mendRow: (row: Row) => Promise<unknown>): Fix {
  return { name, find: async () => (await find()).map((row) => () => mendRow(row)) };
}

async function mend(deps: EngineDeps, report: SweepReport, { name, find }: Fix): Promise<void> {
  for (const mendRow of await find()) {
    try {
      if ((await mendRow()) !== false) report[name] += 1;
    } catch (error) {
      report.failures += 1;
      deps.logger.error({ sweep: name, error: String(error) }, 'sweep could not mend a row; the others go on');
    }
  }
}
