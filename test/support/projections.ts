import {
  evolve,
  initialRunState,
  type ItemState,
  type RunState,
  type StepPlace,
  type StepState,
} from '../../libs/domain/src/index.js';
import type { EngineDeps } from '../../libs/engine/src/index.js';
import { PROJECT, type EngineHarness } from './engine-harness.js';

const placeOf = ({ stepId, item, round }: StepPlace): string => JSON.stringify([stepId, item, round]);
const byPlace = (a: StepPlace, b: StepPlace): number => (placeOf(a) < placeOf(b) ? -1 : 1);

/** Claims, and steps that come again after a lost lease, are in the rows alone: to the events both are under way. */
const plainStep = ({ stepId, item, round, status, reason, attempt, output, error }: StepState) => ({
  stepId,
  item,
  round,
  status: status === 'queued' || status === 'running' ? 'under way' : status,
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

type Stored = Pick<EngineDeps, 'log' | 'runs'>;

/** The run as its events alone tell it. */
async function rebuilt({ runs, log }: Stored, projectId: string, runId: string): Promise<RunState> {
  const run = await runs.getRun(projectId, runId);
  if (run === null) throw new Error(`run ${runId} is not stored`);
  const events = (await log.read({ projectId, streamId: run.streamId })).filter((event) => event.runId === runId);
  return events.reduce(evolve, initialRunState);
}

/** `run`, `step_run` and `step_item` must say what the run's events say. */
export async function expectProjectionsEqualEvents(
  { deps }: Pick<EngineHarness, 'deps'>,
  runId: string,
): Promise<void> {
  await expectRunEqualsEvents(deps, PROJECT, runId);
}

/** The same over any store. */
export async function expectRunEqualsEvents(stored: Stored, projectId: string, runId: string): Promise<void> {
  const run = await stored.runs.getRun(projectId, runId);
  const state = await rebuilt(stored, projectId, runId);
  expect(state).toMatchObject({
    status: run?.status,
    output: run?.output,
    error: run?.error,
    paused: run?.pausedAt !== null,
  });
  const steps = await stored.runs.stepRunsOf(projectId, runId);
  expect([...state.steps].sort(byPlace).map(plainStep)).toEqual([...steps].sort(byPlace).map(plainStep));
  for (const loop of steps.filter(({ kind }) => kind === 'for_each')) {
    const items = await stored.runs.transact((tx) => tx.items(loop));
    const told = state.items.filter(({ stepId, round }) => stepId === loop.stepId && round === loop.round);
    expect(told.map(plainItem)).toEqual(items.map(plainItem));
  }
}
