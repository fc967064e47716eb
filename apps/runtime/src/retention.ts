import { Counter, type Registry } from 'prom-client';
import { startLoop, type Loop } from '#libs/engine';
import { eraseExpiredRuns } from '#libs/event-store';
import type { Runtime } from './compose-engine.js';

const LOOK_EVERY_MS = 3_600_000;
const BATCH = 50;

/**
 * Erases what runs held that ended longer ago than `WEIR_RETENTION_DAYS`, in batches. Off without the setting. Any number of
 * workers may do it at once: an erasure that was done already changes nothing.
 */
export function startRetention(
  { engine, database }: Pick<Runtime, 'engine' | 'database'>,
  registry: Registry,
  olderThanMs: number | null,
): Loop | null {
  if (olderThanMs === null) return null;
  const erasedRuns = new Counter({
    name: 'weir_retention_erased_runs_total',
    help: 'Runs whose content was erased because they were older than WEIR_RETENTION_DAYS.',
    registers: [registry],
  });
  const turn = async (): Promise<boolean> => {
    const erased = await eraseExpiredRuns(database.kysely, { olderThanMs, limit: BATCH, actor: 'retention' });
    erasedRuns.inc(erased.length);
    return erased.length === BATCH;
  };
  return startLoop({ name: 'retention', everyMs: LOOK_EVERY_MS, turn }, engine.logger);
}
