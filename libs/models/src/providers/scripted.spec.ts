import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModels } from '../create-models.js';
import { Scripts } from '../scripts/scripts.js';
import { answerOf, failureOf, modelCall, textOf, user } from '../testing/model-call.js';

const scripts = new Scripts();
const models = createModels({ connections: new Map(), scripts });

describe('a scripted model', () => {
  it('answers by call position, with tool calls as written', async () => {
    scripts.set('two', [
      {
        text: 'Looking.',
        tool_calls: [
          { name: 'search', arguments: { q: 'x' } },
          { id: 'mine', name: 'now', arguments: '{broken' },
        ],
      },
      { text: 'Found: {{last_tool_result}}' },
    ]);
    const first = answerOf(await models.call(modelCall('scripted:two')));
    expect(first).toMatchObject({
      finishReason: 'tool_calls',
      message: {
        content: [{ type: 'text', text: 'Looking.' }],
        tool_calls: [
          { id: 'call_1_0', name: 'search', arguments: '{"q":"x"}' },
          { id: 'mine', name: 'now', arguments: '{broken' },
        ],
      },
    });
    const result = {
      role: 'tool' as const,
      tool_call_id: 'call_1_0',
      name: 'search',
      status: 'ok' as const,
      content: [{ type: 'text' as const, text: 'gold' }],
    };
    const second = await models.call(
      modelCall('scripted:two', { position: { callNo: 2 }, request: { messages: [user('q'), result] } }),
    );
    expect(textOf(second)).toBe('Found: gold');
    expect(scripts.calls('two').map((call) => call.position.callNo)).toEqual([1, 2]);
  });

  it('answers by try and by step and item', async () => {
    scripts.set('steps', {
      replies: [[{ failure: { class: 'rate_limited', retry_after_ms: 50 } }, { text: 'second try' }]],
      steps: { retrieve: [{ text: 'retrieved' }], 'score[1]': [{ text: 'item one' }] },
      after_last: 'repeat',
    });
    const at = (position: object) => models.call(modelCall('scripted:steps', { position }));
    expect(failureOf(await at({}))).toMatchObject({ class: 'rate_limited', retryAfterMs: 50 });
    expect(textOf(await at({ try: 2 }))).toBe('second try');
    expect(textOf(await at({ stepId: 'retrieve', callNo: 9 }))).toBe('retrieved');
    expect(textOf(await at({ stepId: 'score', item: 1 }))).toBe('item one');
    expect(failureOf(await at({ stepId: 'score', item: 2 }))).toMatchObject({ class: 'rate_limited' });
  });

  it('fails behind its last reply and refuses a script with a typing error', async () => {
    scripts.set('one', [{ text: 'x' }]);
    expect(failureOf(await models.call(modelCall('scripted:one', { position: { callNo: 2 } }))).detail).toContain(
      'no reply for call 2 of step chat',
    );
    expect(() => scripts.set('bad', [{ tekst: 'x' } as never])).toThrow(/tekst/);
  });

  it('may be code that waits for what a test decides', async () => {
    scripts.set('code', async (call) => ({ text: `saw ${call.request.messages.length}` }));
    expect(textOf(await models.call(modelCall('scripted:code')))).toBe('saw 1');
  });

  it('streams words when somebody listens', async () => {
    scripts.set('words', [{ text: 'one two three' }]);
    const deltas: string[] = [];
    await models.call(modelCall('scripted:words', { onDelta: (text) => deltas.push(text) }));
    expect(deltas).toEqual(['one ', 'two ', 'three']);
  });

  it.each([
    ['aborted', { totalTimeoutMs: 60_000 }],
    ['timeout_idle', { idleTimeoutMs: 20 }],
    ['timeout_total', { totalTimeoutMs: 20 }],
  ])('that hangs ends as %s', async (expected, timeouts) => {
    scripts.set('hang', [{ hang: true }]);
    const abort = new AbortController();
    const pending = models.call(modelCall('scripted:hang', { ...timeouts, signal: abort.signal }));
    if (expected === 'aborted') abort.abort();
    expect(failureOf(await pending).class).toBe(expected);
  });
});

describe('a scripts folder', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'weir-scripts-'))));
  afterAll(() => rm(folder, { recursive: true }));

  it('is read at each call, logs calls, keeps none and waits for files', async () => {
    const scriptsInFolder = new Scripts(folder);
    const inFolder = createModels({ connections: new Map(), scripts: scriptsInFolder });
    await writeFile(
      join(folder, 'kill.json'),
      JSON.stringify({
        replies: [{ touch_file: 'asked', wait_for_file: 'go', text: 'went' }],
        log_file: 'calls.jsonl',
      }),
    );
    const pending = inFolder.call(modelCall('scripted:kill'));
    const asked = async (): Promise<string> => readFile(join(folder, 'asked'), 'utf8').catch(() => asked());
    expect(await asked()).toBe(String(process.pid));
    await writeFile(join(folder, 'go'), '');
    expect(textOf(await pending)).toBe('went');
    expect(scriptsInFolder.calls('kill')).toEqual([]);
    const log = await readFile(join(folder, 'calls.jsonl'), 'utf8');
    expect(JSON.parse(log)).toMatchObject({ run_id: 'run_1', step_id: 'chat', call: 1, try: 1, pid: process.pid });
  });

  it('cannot be left by a name', async () => {
    const inFolder = createModels({ connections: new Map(), scripts: new Scripts(folder) });
    for (const name of ['../secret', '.hidden', 'a/b'])
      expect(inFolder.facts(`scripted:${name}`)).toMatchObject({ ok: false });
  });
});
