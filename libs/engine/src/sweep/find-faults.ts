import type { EngineDeps } from '../engine-deps.js';

/** What the next sweep would mend, of one project; each at most `LIMIT` of the whole installation. */
export type Faults = {
  expiredLeases: number;
  lostJobs: number;
  dueWaits: number;
  overdueRuns: number;
  overdueSteps: number;
  startableRuns: number;
  stuckRuns: number;
};

const LIMIT = 1000;
/** Younger jobs may not have reached the queue yet. */
const LOST_AFTER_MS = 2_000;

/** Compares what is stored with what is under way, and changes nothing. */
export async function findFaults(deps: Pick<EngineDeps, 'runs' | 'queue'>, projectId: string): Promise<Faults> {
  const { runs } = deps;
  const own = (rows: readonly { projectId: string }[]): number =>
    rows.filter((row) => row.projectId === projectId).length;
  return {
    expiredLeases: own(await runs.findExpiredLeases(LIMIT)),
    lostJobs: own(await lostJobs(deps)),
    dueWaits: own(await runs.findDueWaits(LIMIT)),
    overdueRuns: own(await runs.findDueRuns(LIMIT)),
    overdueSteps: own(await runs.findDueSteps(LIMIT)),
    startableRuns: own(await runs.findStartableRuns(LIMIT)),
    stuckRuns: own(await runs.findStuckRuns(LIMIT)),
  };
}

async function lostJobs({ runs, queue }: Pick<EngineDeps, 'runs' | 'queue'>): Promise<{ projectId: string }[]> {
  const missing = await queue.findMissing(await runs.findDispatched(LOST_AFTER_MS, LIMIT));
  const rows = await Promise.all(missing.map(({ stepRunId }) => runs.getStepRun(stepRunId)));
  return rows.filter((row) => row !== null);
}
