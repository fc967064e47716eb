import {
  evolve,
  initialRunState,
  type ItemState,
  type RunState,
  type StepPlace,
  type StepState,
} from '../../libs/domain/src/index.js';
import { PROJECT, type EngineHarness } from './engine-harness.js';

const placeOf = ({ stepId, item, round }: StepPlace): string => JSON.stringify([stepId, item, round]);
const byPlace = (a: StepPlace, b: StepPlace): number => (placeOf(a) < placeOf(b) ? -1 : 1);

const plainStep = ({ stepId, item, round, status, reason, attempt, output, error }: StepState) => ({
  stepId,
  item,
  round,
  status,
  reason,
  attempt,
  output,
  error,
});

const plainItem = ({ item, status, output, error }: Pick<ItemState, 'item' | 'status' | 'output' | 'error'>) => ({
  item,
  status,
  output,
  error,
});

/** The run as its events alone tell it. */
export async function rebuiltRun(harness: EngineHarness, runId: string): Promise<RunState> {
  const run = await harness.runRecord(runId);
  const events = (await harness.events(run.streamId)).filter((event) => event.runId === runId);
  return events.reduce(evolve, initialRunState);
}

/** `run`, `step_run` and `step_item` must say what the run's events say. */
export async function expectProjectionsEqualEvents(harness: EngineHarness, runId: string): Promise<void> {
  const run = await harness.runRecord(runId);
  const state = await rebuiltRun(harness, runId);
  expect(state).toMatchObject({
    status: run.status,
    output: run.output,
    error: run.error,
    paused: run.pausedAt !== null,
  });
  const steps = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  expect([...state.steps].sort(byPlace).map(plainStep)).toEqual([...steps].sort(byPlace).map(plainStep));
  for (const loop of steps.filter(({ kind }) => kind === 'for_each')) {
    const items = await harness.deps.runs.transact((tx) => tx.items(loop));
    const told = state.items.filter(({ stepId, round }) => stepId === loop.stepId && round === loop.round);
    expect(told.map(plainItem)).toEqual(items.map(plainItem));
  }
}
