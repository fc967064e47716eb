import type { EngineDeps } from '../engine-deps.js';
import { workerBytes } from './worker-bytes.js';

type HeartbeatDeps = Pick<EngineDeps, 'runs' | 'held' | 'settings'>;

/**
 * Renews the leases of all steps that run here, draining or not: a step that still works must not be taken over.
 * A step that does not come back has another owner and is stopped; nothing of it may be written any more.
 * @throws when the database is away: leases then run out, and whoever has the step next raises its fence.
 */
export async function heartbeat({ runs, held, settings }: HeartbeatDeps): Promise<void> {
  // What has no fence yet has no lease either.
  const steps = held.all().filter(({ fence }) => fence > 0);
  if (steps.length === 0) return;
  const renewed = await runs.heartbeat(steps, settings.leaseMs, workerBytes());
  for (const step of steps) {
    const answer = renewed.get(step.stepRunId);
    if (answer === undefined) step.stop('fenced');
    else if (answer.cancelRequested) step.stop('cancelled');
  }
}

/** The poll behind the published cancel, more frequent than heartbeats: with Redis away a cancel still arrives soon. */
export async function pollCancels({ runs, held }: Pick<EngineDeps, 'runs' | 'held'>): Promise<void> {
  const runIds = [...new Set(held.all().map((step) => step.runId))];
  if (runIds.length === 0) return;
  for (const runId of await runs.cancelRequested(runIds)) held.stopRun(runId, 'cancelled');
}
