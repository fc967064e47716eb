import type { Json, JsonObject } from '../../../libs/domain/src/index.js';
import { retryRun } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

const piped = (name: string, steps: JsonObject[]): JsonObject => ({
  name,
  inputs: { text: { type: 'string', default: 'it' } },
  defaults: { model: `scripted:${name}`, retry: { max_attempts: 1 } },
  agents: { a: { tools: ['now'] } },
  tools: { now: { kind: 'builtin' } },
  steps,
});

/** Asks for a tool, then fails until it is mended; after that answers with what it was last told. */
function failsUntilMended(name: string): { mend: () => void } {
  let calls = 0;
  let isBroken = true;
  harness.scripts.set(name, () => {
    calls += 1;
    if (calls === 1) return { tool_calls: [{ name: 'now' }] };
    return isBroken ? { failure: { class: 'invalid_request' } } : { text: 'did {{last_user}}' };
  });
  return { mend: () => (isBroken = false) };
}

async function retry(runId: string, version: 'pinned' | 'live'): Promise<Json> {
  expect(await retryRun(harness.deps, { projectId: PROJECT, runId, version })).toMatchObject({ status: 'retried' });
  await harness.queue.drain(harness.deps);
  const run = await harness.runRecord(runId);
  expect(run.status).toBe('succeeded');
  return run.output;
}

/** What was said to the agent of `work`: the data of the events, in order. */
const told = async (runId: string): Promise<Json[]> =>
  (await harness.events(`${runId}:step:work`))
    .filter(({ type }) => type === 'UserMessageReceived' || type === 'DocumentsProvided')
    .map(({ data }) => data);

describe.each(['fresh', 'inherit'])('a %s agent step that had begun before a retry', (mode) => {
  const work = (task: string, more: JsonObject = {}): JsonObject => ({
    ...{ id: 'work', agent: 'a', task, context: { mode } },
    ...more,
  });

  it('is told its task of the version that it goes on with, behind what was said before', async () => {
    const name = `other-version-${mode}`;
    const { mend } = failsUntilMended(name);
    await harness.apply(piped(name, [work('Paint ${inputs.text} red.')]));
    const run = await harness.run(name, {});
    expect(run.status).toBe('failed');
    await harness.apply(piped(name, [work('Paint ${inputs.text} blue.')]));
    mend();
    expect(await retry(run.runId, 'live')).toBe('did Paint it blue.');
    expect(await told(run.runId)).toEqual([
      { origin: 'task', content: 'Paint it red.' },
      { origin: 'task', content: 'Paint it blue.' },
    ]);
    const { messages } = harness.scripts.calls(name).at(-1)?.request ?? { messages: [] };
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  it('is told what the steps before it give now, its documents too', async () => {
    const name = `other-outputs-${mode}`;
    const { mend } = failsUntilMended(name);
    let isFound = false;
    harness.scripts.set(`${name}-find`, () =>
      isFound ? { text: 'the book' } : { failure: { class: 'invalid_request' } },
    );
    const find = { id: 'find', agent: 'a', task: 'Find.', model: `scripted:${name}-find`, on_error: 'continue' };
    const read = work('Read ${steps.find.output}', { depends_on: ['find'], documents: '${steps.find.output}' });
    await harness.apply(piped(name, [find, read]));
    const run = await harness.run(name, {});
    expect(run.status).toBe('failed');
    isFound = true;
    mend();
    expect(await retry(run.runId, 'pinned')).toBe('did Read the book');
    expect(await told(run.runId)).toEqual([
      { origin: 'task', content: 'Read ' },
      { content: 'the book' },
      { origin: 'task', content: 'Read the book' },
    ]);
  });

  it('has its task said again, as the same one, behind other documents', async () => {
    const name = `other-documents-${mode}`;
    const { mend } = failsUntilMended(name);
    await harness.apply(piped(name, [work('Read.', { documents: 'first edition' })]));
    const run = await harness.run(name, {});
    await harness.apply(piped(name, [work('Read.', { documents: 'second edition' })]));
    mend();
    await retry(run.runId, 'live');
    expect(await told(run.runId)).toEqual([
      { content: 'first edition' },
      { origin: 'task', content: 'Read.' },
      { content: 'second edition' },
      { origin: 'task', content: 'Read.', reissued: true },
    ]);
  });

  it('is told nothing twice that is the same, also where what is stored was redacted', async () => {
    const name = `the-same-${mode}`;
    const { mend } = failsUntilMended(name);
    const { redact } = harness.deps;
    harness.deps.redact = (value) =>
      JSON.parse(JSON.stringify(redact(value)).replaceAll('hunter2', '[secret]')) as Json;
    await harness.apply(piped(name, [work('Use hunter2.', { documents: 'The key is hunter2.' })]));
    const run = await harness.run(name, {});
    mend();
    await retry(run.runId, 'live');
    harness.deps.redact = redact;
    expect(await told(run.runId)).toEqual([
      { content: 'The key is [secret].' },
      { origin: 'task', content: 'Use [secret].' },
    ]);
  });
});
