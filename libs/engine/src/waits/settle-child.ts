import { afterCommit } from '../advance/after-commit.js';
import { tellOfChild } from '../advance/end-of-child.js';
import type { EngineDeps } from '../engine-deps.js';

/** For the sweeper: a step whose child run has ended without it noticing. */
export async function settleChild(
  deps: EngineDeps,
  at: { projectId: string; runId: string; stepRunId: string; childId: string },
): Promise<void> {
  const parent = await deps.runs.getStepRun(at.stepRunId);
  const advanced = parent === null ? null : await tellOfChild(deps, parent, at.childId);
  if (advanced !== null) await afterCommit(deps, advanced);
}
