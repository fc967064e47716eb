import type { RunError, WaitReason } from '../events/run-events.js';
import type { Json, JsonObject } from '../json.js';
import type { RunStatus, StepStatus } from './run-status.js';

/** Which execution of a step: `item` counts the elements of a `for_each` from 0, `round` those of a `repeat` from 0. */
export type StepPlace = { readonly stepId: string; readonly item: number | null; readonly round: number };

/** One execution of a step as the run's state machine sees it. Steps that are not runnable yet have no state. */
export type StepState = StepPlace & {
  readonly kind: string;
  readonly status: StepStatus;
  readonly reason: WaitReason | null;
  readonly attempt: number;
  readonly output: Json;
  readonly error: RunError | null;
};

/** A run as its events tell it; the projections `run` and `step_run` hold the same. */
export type RunState = {
  readonly status: RunStatus;
  readonly inputs: JsonObject;
  readonly output: Json;
  readonly error: RunError | null;
  readonly cancelRequested: boolean;
  readonly steps: readonly StepState[];
};

export const isSamePlace = (a: StepPlace, b: StepPlace): boolean =>
  a.stepId === b.stepId && a.item === b.item && a.round === b.round;

export function findStep(state: RunState, stepId: string): StepState | null {
  return state.steps.find((step) => isSamePlace(step, { stepId, item: null, round: 0 })) ?? null;
}
