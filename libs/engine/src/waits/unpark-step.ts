import type { EngineDeps } from '../engine-deps.js';
import { changeStep } from '../sweep/change-step.js';
import { haltOf } from './halt.js';
import { wakeStep } from './wake-step.js';

/** For the sweeper: a parked step goes on when nothing holds its run any more, whoever died before saying so. False: it stays. */
export async function unparkStep(
  deps: EngineDeps,
  at: { projectId: string; runId: string; stepRunId: string },
): Promise<boolean> {
  if ((await haltOf(deps, at))?.kind === 'parked') return false;
  return changeStep(deps, at, async (advance, row) =>
    row.status === 'waiting' && (row.reason === 'paused' || row.reason === 'spend_limit')
      ? wakeStep(advance, row)
      : null,
  );
}
