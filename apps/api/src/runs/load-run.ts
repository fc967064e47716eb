import { describeRun, standingOf, type EngineDeps, type RunDescription, type RunRecord } from '#libs/engine';
import { listHolders, listOpenSteps, noUsage, sumUsageOfRuns, type ReadDatabase } from '#libs/event-store';
import { notFound, type ProblemError } from '../http/problem-error.js';
import type { SummaryParts } from './run-wire.js';

/** @throws ProblemError `run_not_found` */
export async function loadRun(
  engine: Pick<EngineDeps, 'runs'>,
  projectId: string,
  runId: string,
): Promise<RunDescription> {
  const described = await describeRun(engine, projectId, runId);
  if (described === null) throw runNotFound(runId);
  return described;
}

export function runNotFound(runId: string): ProblemError {
  return notFound('run_not_found', `Run ${runId}`);
}

/** What a list says of its runs, in three queries however many they are. */
export async function describeRuns(
  db: ReadDatabase,
  projectId: string,
  runs: readonly RunRecord[],
): Promise<Map<string, SummaryParts>> {
  const ids = runs.map((run) => run.runId);
  const queued = runs.filter((run) => run.status === 'queued').map((run) => run.streamId);
  const [openSteps, usage, holders] = await Promise.all([
    listOpenSteps(db, projectId, ids),
    sumUsageOfRuns(db, projectId, ids),
    listHolders(db, projectId, queued),
  ]);
  return new Map(
    runs.map((run) => {
      const hold = holders.get(run.streamId);
      const ofStream = hold === undefined || run.statusReason === 'concurrency' ? [] : [hold.runId];
      const steps = openSteps.filter((step) => step.runId === run.runId);
      return [run.runId, { run, usage: usage.get(run.runId) ?? noUsage, ...standingOf(run, steps, ofStream) }];
    }),
  );
}
