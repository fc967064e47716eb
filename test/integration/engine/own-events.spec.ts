import { ownEvents, type AppendResult, type AppendUnit, type EngineDeps } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'loop',
    agents: { helper: { model: 'scripted:helper', tools: ['now'] } },
    steps: [{ id: 'work', agent: 'helper', task: 'Go on.' }],
  });
});
afterAll(() => harness.close());

/** Keys that the log gives back in another order, texts that it escapes, numbers that it writes otherwise. */
const OPAQUE = {
  type: 'opaque' as const,
  provider: 'test',
  raw: { long_name: 1e21, id: 'é', ü: [{ bb: -0, a: 0.1 }], nul: 'a\u0000b', zz: '\ud800', b: null, key: {} },
};

it('what a step appended is what reading it would give, but for when and where in the feed', async () => {
  harness.scripts.set('helper', ({ position }) =>
    position.callNo < 3 ? { parts: [OPAQUE], text: 'so', tool_calls: [{ name: 'now' }] } : { text: 'done' },
  );
  const appended: [AppendUnit, AppendResult][] = [];
  const append: EngineDeps['log']['append'] = async (units) => {
    const results = await harness.deps.log.append(units);
    units.forEach((unit, at) => appended.push([unit, results[at] ?? { status: 'fenced_out' }]));
    return results;
  };
  const runId = await harness.start('loop', {});
  await harness.queue.drain({ ...harness.deps, log: { ...harness.deps.log, append } });
  expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded' });

  const own = appended.flatMap(([unit, result]) => ownEvents(unit.streamId, unit.events, result) ?? []);
  const stored = await harness.deps.log.read({
    projectId: PROJECT,
    streamId: `${runId}:step:work`,
    seqs: own.map(({ seq }) => seq),
  });
  const plain = stored.map((event) => ({ ...event, cursor: '', recordedAt: '' }));
  expect(own).toHaveLength(12);
  expect(own).toEqual(plain);
  // In the same order of keys too: providers are sent what stands here.
  expect(own.map(({ data }) => JSON.stringify(data))).toEqual(plain.map(({ data }) => JSON.stringify(data)));
});
