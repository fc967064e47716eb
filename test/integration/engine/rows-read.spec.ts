import { rebuildCall, type EngineDeps } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

/** What a worker reads of a conversation does not grow with the conversation: counted in rows, of every query. */
let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  for (const mode of ['inherit', 'fresh'])
    await harness.apply({
      name: mode,
      inputs: { text: { type: 'string', required: true } },
      agents: { helper: { model: 'scripted:helper', tools: ['now'], max_turns: 200 } },
      context: { mode, window: { observation_window: 1, forget_after_turns: 3, mask_batch_turns: 1 } },
      steps: [{ id: 'work', agent: 'helper', task: '${inputs.text}' }],
    });
});
afterAll(() => harness.close());

type Counted = { deps: EngineDeps; rows: () => number };

/** A worker whose rows are counted: those that its log and its transactions read. */
function counted(deps: EngineDeps): Counted {
  let rows = 0;
  const counting =
    <Q, T>(read: (query: Q) => Promise<T[]>) =>
    async (query: Q): Promise<T[]> => {
      const found = await read(query);
      rows += found.length;
      return found;
    };
  const log: EngineDeps['log'] = {
    append: (units) => deps.log.append(units),
    version: (...stream) => deps.log.version(...stream),
    putPayload: (...payload) => deps.log.putPayload(...payload),
    getPayload: (...payload) => deps.log.getPayload(...payload),
    read: counting((query: Parameters<EngineDeps['log']['read']>[0]) => deps.log.read(query)),
    readLastBuild: counting((query: Parameters<EngineDeps['log']['readLastBuild']>[0]) =>
      deps.log.readLastBuild(query),
    ),
    digests: (query) => deps.log.digests(query),
  };
  const runs = new Proxy(deps.runs, {
    get: (target, name: keyof EngineDeps['runs']) => {
      if (name !== 'transact') {
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      }
      const transact: EngineDeps['runs']['transact'] = (work) =>
        target.transact((tx) =>
          work(
            new Proxy(tx, {
              get: (inner, key: keyof typeof tx) => {
                const member: unknown = Reflect.get(inner, key);
                if (key === 'read') return counting((query: Parameters<typeof tx.read>[0]) => inner.read(query));
                return typeof member === 'function' ? member.bind(inner) : member;
              },
            }),
          ),
        );
      return transact;
    },
  });
  return { deps: { ...deps, log, runs }, rows: () => rows };
}

async function runOn(worker: EngineDeps, pipeline: string, streamId: string, turns = 1): Promise<string> {
  harness.scripts.set('helper', ({ position }) =>
    position.callNo < turns ? { tool_calls: [{ name: 'now' }] } : { text: `answer ${position.callNo}` },
  );
  const runId = await harness.start(pipeline, { text: `question of ${streamId}` }, { streamId });
  await harness.queue.drain(worker);
  expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded' });
  return runId;
}

/** Rows of one more run, on a worker that knows the conversation and on one that does not. */
async function rowsOfRun(worker: Counted, pipeline: string, streamId: string): Promise<{ warm: number; cold: number }> {
  const before = worker.rows();
  await runOn(worker.deps, pipeline, streamId);
  const stranger = counted(harness.secondWorker());
  await runOn(stranger.deps, pipeline, streamId);
  // So that the first one has followed the log.
  await runOn(worker.deps, pipeline, streamId);
  return { warm: worker.rows() - before, cold: stranger.rows() };
}

const verdictOf = async (runId: string): Promise<string | undefined> =>
  (await rebuildCall(harness.deps, { projectId: PROJECT, runId, stepId: 'work', item: null, callNo: 1, try: null }))
    ?.verdict;

it.each(['inherit', 'fresh'])(
  'a run of an agent that sees %s reads as much of a short stream as of a long one',
  async (mode) => {
    const worker = counted(harness.deps);
    for (let n = 0; n < 8; n += 1) await runOn(worker.deps, mode, `chat-${mode}`);
    const short = await rowsOfRun(worker, mode, `chat-${mode}`);
    for (let n = 0; n < 25; n += 1) await runOn(worker.deps, mode, `chat-${mode}`);
    expect(await rowsOfRun(worker, mode, `chat-${mode}`)).toEqual(short);
    expect((await harness.events(`chat-${mode}:step:work`)).length).toBeGreaterThan(3 * short.cold);
  },
  120_000,
);

it('a worker that leads a run reads nothing of what it writes itself', async () => {
  const rows: number[] = [];
  const worker = counted(harness.deps);
  const append: EngineDeps['log']['append'] = async (units) => {
    if (units.some(({ events }) => events.some(({ type }) => type === 'LlmCallStarted'))) rows.push(worker.rows());
    return harness.deps.log.append(units);
  };
  await runOn({ ...worker.deps, log: { ...worker.deps.log, append } }, 'inherit', 'loop', 40);
  const perBuild = rows.slice(1).map((sum, at) => sum - (rows[at] ?? 0));
  expect(perBuild).toHaveLength(39);
  expect(new Set(perBuild)).toEqual(new Set([0]));
});

it('a worker that comes back to a conversation which others led on builds what they would build', async () => {
  await runOn(harness.deps, 'inherit', 'shared');
  const others = harness.secondWorker();
  for (let n = 0; n < 5; n += 1) await runOn(others, 'inherit', 'shared');
  expect(await verdictOf(await runOn(harness.deps, 'inherit', 'shared'))).toBe('equal');
});

it('what a worker kept and the log does not know is read anew', async () => {
  await runOn(harness.deps, 'inherit', 'replaced');
  await harness.database.run(async (sql) => {
    await sql`update event set event_id = gen_random_uuid() where stream_id = 'replaced:step:work' and type = 'LlmCallCompleted'`;
  });
  const worker = counted(harness.deps);
  expect(await verdictOf(await runOn(worker.deps, 'inherit', 'replaced'))).toBe('equal');
  const anew = worker.rows();
  await runOn(worker.deps, 'inherit', 'replaced');
  expect(worker.rows() - anew).toBeLessThan(anew);
});
