import type { StepPlace } from '#libs/domain';
import { namedUuids } from '../named-uuid.js';

const stepUuid = namedUuids('b4d2c6c0-7a0e-4f6a-8f39-6f3f7a1f0c55');

/**
 * One id for one place of a run, so that making a step runnable twice is the same row, and rows are found by their place. So it does
 * not change: another one would lose sight of the steps that are stored (ADR 0044).
 */
export function stepRunId(runId: string, place: StepPlace): string {
  return `stp_${stepUuid(JSON.stringify([runId, place.stepId, place.item, place.round]))}`;
}
