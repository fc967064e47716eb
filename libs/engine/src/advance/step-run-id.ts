import { v5 as uuidV5 } from 'uuid';
import type { StepPlace } from '#libs/domain';

const STEP_RUN_NAMESPACE = 'b4d2c6c0-7a0e-4f6a-8f39-6f3f7a1f0c55';

/** One id for one place of a run, so that making a step runnable twice is the same row. */
export function stepRunId(runId: string, place: StepPlace): string {
  return `stp_${uuidV5(JSON.stringify([runId, place.stepId, place.item, place.round]), STEP_RUN_NAMESPACE)}`;
}
