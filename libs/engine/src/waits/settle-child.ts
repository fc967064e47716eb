import { afterCommit } from '../advance/after-commit.js';
import { endOfChild } from '../advance/end-of-child.js';
import type { EngineDeps } from '../engine-deps.js';

/** For the sweeper: a step whose child run has ended without it noticing. */
export async function settleChild(
  deps: EngineDeps,
  at: { projectId: string; runId: string; stepRunId: string },
): Promise<void> {
  const advanced = await endOfChild(deps, at);
  if (advanced !== null) await afterCommit(deps, advanced);
}
