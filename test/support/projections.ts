import { evolve, initialRunState, type RunState } from '../../libs/domain/src/index.js';
import { PROJECT, type EngineHarness } from './engine-harness.js';

/** The run as its events alone tell it. */
export async function rebuiltRun(harness: EngineHarness, runId: string): Promise<RunState> {
  const run = await harness.runRecord(runId);
  const events = (await harness.events(run.streamId)).filter((event) => event.runId === runId);
  return events.reduce(evolve, initialRunState);
}

/** The projections must say what the events say. */
export async function expectProjectionsEqualEvents(harness: EngineHarness, runId: string): Promise<void> {
  const run = await harness.runRecord(runId);
  const state = await rebuiltRun(harness, runId);
  expect(state).toMatchObject({ status: run.status, output: run.output, error: run.error });
  const steps = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  expect(state.steps.map(plain)).toEqual(steps.map(plain));
}

const plain = ({ stepId, item, round, status, reason, attempt, output, error }: RunState['steps'][number]) => ({
  stepId,
  item,
  round,
  status,
  reason,
  attempt,
  output,
  error,
});
