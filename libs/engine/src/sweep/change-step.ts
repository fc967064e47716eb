import { afterCommit } from '../advance/after-commit.js';
import { changeLockedStep, type StepChange } from '../advance/change-locked-step.js';
import type { EngineDeps } from '../engine-deps.js';

export type { StepChange } from '../advance/change-locked-step.js';

/** Changes a step under lock, advances its run, and wakes who must know. False: it was no longer as it was found. */
export async function changeStep(
  deps: EngineDeps,
  at: { projectId: string; runId: string; stepRunId: string },
  change: StepChange,
): Promise<boolean> {
  const advanced = await changeLockedStep(deps, at, change);
  if (advanced !== null) await afterCommit(deps, advanced);
  return advanced !== null;
}
