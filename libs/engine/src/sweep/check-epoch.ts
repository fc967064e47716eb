import { randomUUID } from 'node:crypto';
import { AppError } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';

const EPOCH_FACT = 'queue_epoch';

/**
 * Compares the queue's epoch with the store's. A queue without it (or with another) has lost its data: everything
 * outstanding is dispatched again at once. Returns how many steps that were.
 */
export async function checkEpoch(deps: Pick<EngineDeps, 'epoch' | 'runs' | 'compactions' | 'logger'>): Promise<number> {
  const stored = await deps.runs.installationFact(EPOCH_FACT, randomUUID());
  if (typeof stored !== 'string')
    throw new AppError('installation_fact_broken', `the installation's ${EPOCH_FACT} is not text`);
  if ((await deps.epoch.read()) === stored) return 0;
  const steps = (await deps.runs.redispatchAll()) + (await deps.compactions.redispatchAllCompactions());
  // After the rows: a crash between the two repeats the work, it does not lose it.
  await deps.epoch.write(stored);
  if (steps > 0) deps.logger.warn({ steps }, 'the queue had lost its data: everything outstanding is dispatched again');
  return steps;
}
