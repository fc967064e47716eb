import type { RunError, WaitReason } from '../events/run-events.js';
import type { Json, JsonObject } from '../json.js';
import type { RunStatus, StepStatus } from './run-status.js';

/** Which execution of a step: `item` counts the elements of a `for_each` from 0, `round` those of a `repeat` from 0. */
export type StepPlace = { readonly stepId: string; readonly item: number | null; readonly round: number };

/** One execution of a step as the run's state machine sees it. Steps that were never decided have no state; `pending`: to be decided anew after a retry. */
export type StepState = StepPlace & {
  readonly kind: string;
  readonly status: StepStatus;
  readonly reason: WaitReason | null;
  readonly attempt: number;
  readonly output: Json;
  readonly error: RunError | null;
};

export type ItemStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** One element of a `for_each`; `round` is that of the loop's own place. */
export type ItemState = {
  readonly stepId: string;
  readonly round: number;
  readonly item: number;
  readonly status: ItemStatus;
  readonly value: Json;
  readonly output: Json;
  readonly error: RunError | null;
};

/** A run as its events tell it; the projections `run`, `step_run` and `step_item` hold the same. */
export type RunState = {
  readonly status: RunStatus;
  readonly inputs: JsonObject;
  readonly output: Json;
  readonly error: RunError | null;
  readonly cancelRequested: boolean;
  readonly paused: boolean;
  readonly steps: readonly StepState[];
  readonly items: readonly ItemState[];
};

export const isSamePlace = (a: StepPlace, b: StepPlace): boolean =>
  a.stepId === b.stepId && a.item === b.item && a.round === b.round;
