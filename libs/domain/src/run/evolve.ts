import type { EventType } from '../events/event-catalogue.js';
import type { StoredEvent } from '../events/event.js';
import { evolveItems, isItemEvent, withoutOpenItems } from './evolve-items.js';
import { isSamePlace, type RunState, type StepState } from './run-state.js';
import { isEndedRun, type RunStatus } from './run-status.js';

export const initialRunState: RunState = {
  status: 'queued',
  inputs: {},
  output: null,
  error: null,
  cancelRequested: false,
  paused: false,
  steps: [],
  items: [],
};

const RUN_EVENTS = [
  'RunCreated',
  'RunStarted',
  'RunCancelRequested',
  'RunSucceeded',
  'RunFailed',
  'RunTimedOut',
  'RunDeadLettered',
  'RunCancelled',
  'RunRetried',
  'RunPaused',
  'RunResumed',
] as const;
const STEP_EVENTS = [
  'StepQueued',
  'StepStarted',
  'StepReleased',
  'StepWoken',
  'StepWaiting',
  'StepRetryScheduled',
  'StepSucceeded',
  'StepFailed',
  'StepTimedOut',
  'StepDeadLettered',
  'StepSkipped',
  'StepCancelled',
] as const;

type RunEvent = Extract<StoredEvent, { type: (typeof RUN_EVENTS)[number] }>;
type StepEvent = Extract<StoredEvent, { type: (typeof STEP_EVENTS)[number] }>;

const runEventTypes: ReadonlySet<EventType> = new Set(RUN_EVENTS);
const stepEventTypes: ReadonlySet<EventType> = new Set(STEP_EVENTS);
const isRunEvent = (event: StoredEvent): event is RunEvent => runEventTypes.has(event.type);
const isStepEvent = (event: StoredEvent): event is StepEvent => stepEventTypes.has(event.type);

/** The run's events in their order, folded. Events of its conversations change nothing here. */
export function evolve(state: RunState, event: StoredEvent): RunState {
  if (isRunEvent(event)) return evolveRun(state, event);
  if (isItemEvent(event)) return { ...state, items: evolveItems(state.items, event) };
  return isStepEvent(event) ? withStep(state, event) : state;
}

function evolveRun(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'RunCreated':
      return { ...initialRunState, inputs: event.data.inputs };
    case 'RunStarted':
      return { ...state, status: 'running' };
    case 'RunCancelRequested':
      return { ...state, cancelRequested: true, status: 'cancelling' };
    case 'RunSucceeded':
      return { ...state, status: 'succeeded', output: event.data.output, error: null };
    case 'RunFailed':
      return { ...state, status: 'failed', error: event.data.error };
    case 'RunTimedOut':
      return { ...state, status: 'timed_out', error: event.data.error };
    case 'RunDeadLettered':
      return { ...state, status: 'dead_letter', error: event.data.error };
    case 'RunCancelled':
      return { ...state, status: 'cancelled' };
    case 'RunRetried':
      return reopened(state, event);
    case 'RunPaused':
      return { ...state, paused: true };
    case 'RunResumed':
      return { ...state, paused: false };
  }
}

type RetriedEvent = Extract<StoredEvent, { type: 'RunRetried' }>;

/** The retried steps and whatever was skipped behind them are to be decided anew; other outputs are kept. */
function reopened(state: RunState, event: RetriedEvent): RunState {
  const retried = (step: StepState): boolean =>
    event.data.steps.some((place) =>
      isSamePlace(step, { stepId: place.step_id, item: place.item, round: place.round }),
    );
  return {
    ...state,
    status: 'running',
    cancelRequested: false,
    paused: false,
    error: null,
    output: null,
    steps: state.steps.map((step) => (retried(step) ? undecided(step) : step)),
  };
}

const undecided = (step: StepState): StepState => ({
  ...step,
  status: 'pending',
  reason: null,
  attempt: step.attempt + 1,
  output: null,
  error: null,
});

function withStep(state: RunState, event: StepEvent): RunState {
  if (event.stepId === null) return state;
  const place = { stepId: event.stepId, item: event.item, round: event.round };
  const before = state.steps.find((step) => isSamePlace(step, place));
  const after = evolveStep(
    before ?? { ...place, kind: '', status: 'pending', reason: null, attempt: 1, output: null, error: null },
    event,
  );
  const steps =
    before === undefined ? [...state.steps, after] : state.steps.map((step) => (step === before ? after : step));
  const activity = {
    isActive: steps.some((step) => step.status === 'queued' || step.status === 'running'),
    isWaiting: steps.some((step) => step.status === 'waiting'),
  };
  return { ...state, steps, items: itemsAfter(state.items, event), status: statusOfRun(state.status, activity) };
}

/** What a loop that ends unsuccessfully leaves open is cancelled with it. */
function itemsAfter(items: RunState['items'], event: StepEvent): RunState['items'] {
  const isEnd =
    event.type === 'StepFailed' ||
    event.type === 'StepTimedOut' ||
    event.type === 'StepDeadLettered' ||
    event.type === 'StepCancelled';
  return isEnd && event.item === null ? withoutOpenItems(items, event.stepId, event.round) : items;
}

function evolveStep(step: StepState, event: StepEvent): StepState {
  switch (event.type) {
    case 'StepQueued':
      return { ...step, kind: event.data.kind, status: 'queued', reason: null, attempt: event.data.attempt };
    case 'StepStarted':
      return { ...step, status: 'running', reason: null, attempt: event.data.attempt };
    case 'StepReleased':
    case 'StepWoken':
      return { ...step, status: 'queued', reason: null };
    case 'StepWaiting':
      return { ...step, status: 'waiting', reason: event.data.reason };
    case 'StepRetryScheduled':
      return { ...step, status: 'waiting', reason: 'timer', attempt: event.data.attempt, error: event.data.error };
    case 'StepSucceeded':
      return { ...step, status: 'succeeded', reason: null, output: event.data.output, error: null };
    case 'StepFailed':
      return { ...step, status: 'failed', reason: null, error: event.data.error };
    case 'StepTimedOut':
      return { ...step, status: 'timed_out', reason: null, error: event.data.error };
    case 'StepDeadLettered':
      return { ...step, status: 'dead_letter', reason: null, error: event.data.error };
    case 'StepSkipped':
      return { ...step, status: 'skipped', reason: null };
    case 'StepCancelled':
      return { ...step, status: 'cancelled', reason: null };
  }
}

/** A run waits when nothing of it runs and something of it waits; between its steps it runs. */
export function statusOfRun(
  current: RunStatus,
  { isActive, isWaiting }: { readonly isActive: boolean; readonly isWaiting: boolean },
): RunStatus {
  if (isEndedRun(current) || current === 'cancelling' || current === 'queued') return current;
  if (isActive) return 'running';
  return isWaiting ? 'waiting' : 'running';
}
