import { charsOf, expectEachEntryOnce, PHOTO, startContextStage, THOUGHT, type ContextStage } from './context-stage.js';

/** What was left out of a request or changed in it beyond masks and summaries: told of a conversation in which it happens. */
let stage: ContextStage;
beforeAll(async () => {
  stage = await startContextStage();
});
afterAll(() => stage.close());

/** Role, state and entries of each message. */
const toldOf = ({ messages }: any): [string, string, number[]][] =>
  messages.map((one: any) => [one.role, one.state, one.entries]);

/** What stands in front of that message, tools included, is the same in both, and was expected to be. */
function expectDifference({ report, messages, diff }: any, message: number, cause: string): void {
  const chars = report.chars - charsOf(messages.slice(message));
  expect(diff).toEqual({ common_prefix_chars: chars, first_difference: { message, cause } });
  expect(report.common_prefix_chars).toBe(chars);
}

const stagesAtWork = ({ report }: any) =>
  report.stages.flatMap(({ stage: name, removed }: any) => (removed === 0 ? [] : [[name, removed]]));

it('elided: of an older block its user message and its final answer stay, and what lay between is listed', async () => {
  const context = { blocks: { window_width_tokens: 900 }, memory: { max_value_chars: 20 } };
  await stage.say('elided', 'write', { context });
  const whole = await stage.contextOf(await stage.say('elided', 'hello', { context }));
  expect(whole.omitted).toEqual([]);
  const told = await stage.contextOf(await stage.say('elided', 'hello', { context }));
  expect(toldOf(told)).toEqual([
    ['system', 'whole', []],
    ['user', 'whole', [1]],
    ['assistant', 'whole', [4]],
    ['user', 'whole', [5]],
    ['user', 'whole', [6]],
    ['assistant', 'whole', [7]],
    ['user', 'whole', [8]],
  ]);
  const [, , call, result] = whole.messages;
  expect(told.omitted).toEqual([{ entries: [2, 3], state: 'elided', chars: call.chars + result.chars }]);
  expectEachEntryOnce(told, 8);
  expect(stagesAtWork(told)).toEqual([['elide', 2]]);
  expect(told.report).toMatchObject({ states: { whole: 6, elided: 2 }, soft_cap: null, hard_cap: null, repairs: [] });
  expectDifference(told, 2, 'elided');
});

it('shortened: down the ladder observations keep head and tail', async () => {
  const caps = { soft_cap_chars: 8_000, hard_cap_chars: 10_000 };
  const context = {
    window: { ...caps, observation_window: 50, min_tail_turns: 50 },
    compaction: { max_summary_chars: 1_000 },
  };
  await stage.say('shortened', 'write', { context });
  const run = await stage.say('shortened', 'read 2', { context });
  expect(toldOf(await stage.contextOf(run, 2)).at(-1)).toEqual(['tool', 'whole', [8]]);
  const told = await stage.contextOf(run, 3);
  expect(toldOf(told).slice(8)).toEqual([
    ['tool', 'shortened', [8]],
    ['assistant', 'whole', [9]],
    ['tool', 'shortened', [10]],
  ]);
  for (const { content, chars } of [told.messages[8], told.messages[10]]) {
    expect(content[0].text).toMatch(/^[^[]{800}\n\[… 900 chars left out …\]\n[^[]{800}$/);
    expect(chars).toBe(content[0].text.length);
  }
  expect(told.omitted).toEqual([]);
  expectEachEntryOnce(told, 10);
  expect(stagesAtWork(told)).toEqual([['shorten', 2]]);
  expect(told.report).toMatchObject({ soft_cap: 8_000, hard_cap: 10_000, states: { whole: 8, shortened: 2 } });
  expectDifference(told, 8, 'shortened');
});

it('reasoning_dropped: thinking of an exchange that is over goes when the mask boundary moves, its answer stays', async () => {
  const shape = { model: 'scripted:thinker', context: { window: { observation_window: 1, mask_batch_turns: 1 } } };
  const first = await stage.contextOf(await stage.say('thinks', 'read 1', shape), 2);
  const thinking = { type: 'thinking', text: THOUGHT, signature: 'signed' };
  expect(first.messages[2].content).toEqual([thinking]);
  const told = await stage.contextOf(await stage.say('thinks', 'hello', shape));
  expect(toldOf(told)).toEqual([
    ['system', 'whole', []],
    ['user', 'whole', [1]],
    ['assistant', 'whole', [2]],
    ['tool', 'masked', [3]],
    ['assistant', 'whole', [4]],
    ['user', 'whole', [5]],
  ]);
  expect(told.messages[2]).toEqual({
    ...first.messages[2],
    content: [],
    chars: first.messages[2].chars - THOUGHT.length - thinking.signature.length,
  });
  expect(told.messages[4].content).toEqual([{ type: 'text', text: 'I have read it.' }]);
  expect(told.omitted).toEqual([]);
  expectEachEntryOnce(told, 5);
  expectDifference(told, 2, 'reasoning_dropped');
});

it('media_limited: one image more than the provider takes has the oldest described', async () => {
  const image = { type: 'image', media_type: 'image/png', data: PHOTO };
  const look = { type: 'text', text: 'Look at these.' };
  const images = Array.from({ length: 20 }, () => image);
  const messages = [
    { role: 'user', content: [look, ...images] },
    { role: 'assistant', content: 'I see.' },
  ];
  stage.others.answer({ status: 200, headers: { 'content-type': 'image/png' }, body: 'a photo' });
  const run = await stage.say('looks', 'photo', { model: 'scripted:looker', tools: ['photo'], messages });
  const before = await stage.contextOf(run);
  expect(before.messages[1].content).toEqual([look, ...images]);
  const told = await stage.contextOf(run, 2);
  const described = Array.from({ length: 5 }, () => ({ type: 'text', text: '[image: image/png]' }));
  expect(told.messages[1]).toMatchObject({
    ...{ role: 'user', state: 'whole', entries: [1] },
    content: [look, ...described, ...images.slice(5)],
  });
  expect(told.messages[5].content).toEqual([
    { type: 'image', media_type: 'image/png', data: Buffer.from('a photo').toString('base64') },
  ]);
  expect(told.omitted).toEqual([]);
  expectEachEntryOnce(told, 5);
  expect([before.report.repairs, told.report.repairs]).toEqual([[], [{ rule: 'part_described', count: 1 }]]);
  expectDifference(told, 1, 'media_limited');
});

it('repaired: the result of a call that comes after its run was cancelled stands in its place from then on', async () => {
  const shape = { tools: ['order'] };
  stage.others.answer({ status: 202, headers: { 'content-type': 'text/plain' }, body: 'Ordered.' });
  const run = await stage.begin('late', 'order', shape);
  await stage.api.ask(`/v1/runs/${run}/cancel`, { method: 'POST', body: {} });
  await stage.api.work();
  const before = await stage.contextOf(await stage.say('late', 'hello', shape));
  const receipt = { entries: [3, 3], state: 'repaired_away', chars: 'Ordered.'.length };
  expect(before).toMatchObject({ omitted: [receipt], report: { repairs: [{ rule: 'unanswered_call', count: 1 }] } });
  expect(before.messages[3]).toMatchObject({ role: 'tool', synthetic: true, entries: [], chars: 11 });
  expect(before.messages[3].content).toEqual([{ type: 'text', text: '[cancelled]' }]);
  const id = stage.others.received.at(-1)?.headers['weir-tool-call-id'];
  const result = { tool_call_id: id, content: 'It is on its way.' };
  const path = `/v1/runs/${run}/steps/answer/calls/1/result`;
  expect((await stage.api.ask(path, { method: 'POST', body: result })).status).toBe(202);
  const told = await stage.contextOf(await stage.say('late', 'hello', shape));
  expect(toldOf(told)).toEqual([
    ['system', 'whole', []],
    ['user', 'whole', [1]],
    ['assistant', 'whole', [2]],
    ['tool', 'whole', [6]],
    ['user', 'whole', [4]],
    ['assistant', 'whole', [5]],
    ['user', 'whole', [7]],
  ]);
  const [call] = told.messages[2].tool_calls;
  expect(told.messages[3]).toMatchObject({ synthetic: false, tool_call_id: call.id });
  expect(told.messages[3].content).toEqual([{ type: 'text', text: 'It is on its way.' }]);
  expect(told).toMatchObject({ omitted: [receipt], report: { repairs: [{ rule: 'late_result', count: 1 }] } });
  expectEachEntryOnce(told, 7);
  expectDifference(told, 3, 'repaired');
});
