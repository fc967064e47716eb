import type { JsonObject } from '../../../libs/domain/src/index.js';
import { retryRun } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';
import { WatchedRuns } from '../../support/watched-runs.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

/** `bad` fails until it is mended; what uses its output fails on the null that it leaves. */
const bad = (onError: JsonObject): JsonObject => ({ id: 'bad', agent: 'a', task: 'Go.', ...onError });
const shapes: Record<string, JsonObject[]> = {
  'on_error: continue': [
    bad({ on_error: 'continue' }),
    { id: 'uses', depends_on: ['bad'], transform: '${steps.bad.output + "!"}', on_error: 'continue' },
    { id: 'last', depends_on: ['uses'], transform: '${steps.uses.output + "!"}' },
  ],
  'join: any': [
    bad({}),
    { id: 'good', transform: 'good' },
    {
      id: 'uses',
      depends_on: ['bad', 'good'],
      join: 'any',
      transform: '${steps.bad.output + "!"}',
      on_error: 'continue',
    },
    { id: 'last', depends_on: ['uses'], transform: '${steps.uses.output + "!"}' },
  ],
};

async function failThenRetry(name: string, steps: JsonObject[]): Promise<{ runId: string; watched: WatchedRuns }> {
  let isBroken = true;
  harness.scripts.set(name, () => (isBroken ? { failure: { class: 'invalid_request' } } : { text: 'mended' }));
  await harness.apply({
    name,
    defaults: { model: `scripted:${name}`, retry: { max_attempts: 1 } },
    agents: { a: {} },
    steps,
  });
  const run = await harness.run(name, {});
  expect(run.status).toBe('failed');
  isBroken = false;
  const watched = new WatchedRuns(harness);
  await watched.look(run);
  const retry = { projectId: PROJECT, runId: run.runId, version: 'pinned' as const };
  expect(await retryRun(harness.deps, retry)).toMatchObject({ status: 'retried' });
  return { runId: run.runId, watched };
}

async function statuses(runId: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { stepId, status } of await harness.deps.runs.stepRunsOf(PROJECT, runId))
    (found[stepId] ??= []).push(status);
  return found;
}

async function finish({ runId, watched }: { runId: string; watched: WatchedRuns }): Promise<unknown> {
  await harness.queue.drain(harness.deps);
  const run = await harness.runRecord(runId);
  await watched.look(run);
  await expectProjectionsEqualEvents(harness, runId);
  expect(run.status).toBe('succeeded');
  return run.output;
}

describe.each(Object.entries(shapes))('a retried step behind another one, with %s', (shape, steps) => {
  const name = shape.replaceAll(/\W+/g, '-');

  it('waits for what that one gives now', async () => {
    const retried = await failThenRetry(name, steps);
    expect(await statuses(retried.runId)).toMatchObject({ bad: ['queued'], uses: ['pending'], last: ['pending'] });
    expect(harness.queue.steps).toHaveLength(1);
    expect(await finish(retried)).toBe('mended!!');
    const rows = await harness.deps.runs.stepRunsOf(PROJECT, retried.runId);
    expect(rows.find(({ stepId }) => stepId === 'uses')).toMatchObject({ attempt: 2, dispatchNo: 2, starts: 2 });
  });

  it('waits in the items of a loop too', async () => {
    const loop = { id: 'each', for_each: [1, 2], max_parallel: 2, do: { steps } };
    const retried = await failThenRetry(`${name}-items`, [loop]);
    const { bad: first, uses } = await statuses(retried.runId);
    expect(first).toContain('queued');
    expect(uses).not.toContain('queued');
    expect(uses).toContain('pending');
    expect(await finish(retried)).toEqual(['mended!!', 'mended!!']);
  });
});

it('skips what a step led to by its failure when that step succeeds now', async () => {
  const handler = { id: 'handler', agent: 'a', task: 'Help.' };
  const retried = await failThenRetry('led', [bad({ on_error: { goto: 'handler' } }), handler]);
  expect(await statuses(retried.runId)).toEqual({ bad: ['queued'], handler: ['pending'] });
  await finish(retried);
  expect(await statuses(retried.runId)).toEqual({ bad: ['succeeded'], handler: ['skipped'] });
});

it('begins a loop behind a retried step when that one has ended, and keeps what its elements gave', async () => {
  const body = { id: 'work', transform: '${item == 1 ? "kept" : steps.bad.output + "!"}' };
  const loop = { id: 'each', depends_on: ['bad'], for_each: [1, 2], max_parallel: 1, do: { steps: [body] } };
  const retried = await failThenRetry('loop-behind', [bad({ on_error: 'continue' }), loop]);
  expect(await statuses(retried.runId)).toEqual({ bad: ['queued'], each: ['pending'], work: ['succeeded', 'pending'] });
  expect(await finish(retried)).toEqual(['kept', 'mended!']);
});

it('leaves nothing in the body of a loop that is skipped now', async () => {
  const body = { id: 'work', transform: '${steps.bad.output + "!"}' };
  const when = 'steps.bad.output == null';
  const loop = { id: 'each', depends_on: ['bad'], when, for_each: [1], do: { steps: [body] } };
  const retried = await failThenRetry('loop-skipped', [bad({ on_error: 'continue' }), loop]);
  await finish(retried);
  expect(await statuses(retried.runId)).toEqual({ bad: ['succeeded'], each: ['skipped'], work: ['cancelled'] });
});
