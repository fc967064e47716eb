import { replayPlan, transcriptSchema, type ReplayPlan } from './index.js';

const plan = (messages: unknown[], rest: object = {}): ReplayPlan =>
  replayPlan(transcriptSchema.parse({ messages, ...rest }));
const user = (content: string) => ({ role: 'user', content });
const call = (id: string, name = 'read') => ({ id, name, arguments: '{"path":"a"}' });
const answer = (content: string | null, calls: object[] = [], meta: object = {}) => ({
  role: 'assistant',
  content,
  ...(calls.length > 0 ? { tool_calls: calls } : {}),
  meta,
});
const result = (id: string, content = 'ok', rest: object = {}) => ({
  role: 'tool',
  tool_call_id: id,
  content,
  ...rest,
});
const shapeOf = ({ runs }: ReplayPlan) =>
  runs.map((run) => [
    run.userIndex,
    run.calls.map((one) =>
      one.outcome.kind === 'failed' ? one.outcome.reason : one.results.map((value) => value?.messageIndex ?? null),
    ),
    run.end,
  ]);

describe('replayPlan', () => {
  it('makes one run of each user message and one call of each assistant message', () => {
    const made = plan([
      { role: 'system', content: 'You read.' },
      user('a'),
      answer(null, [call('1')]),
      result('1'),
      answer('done'),
      user('b'),
      answer('yes'),
    ]);
    expect(shapeOf(made)).toEqual([
      [1, [[3], []], 'succeeded'],
      [5, [[]], 'succeeded'],
    ]);
    expect(made.systemPrompt).toBe('You read.');
    expect(made.toolNames).toEqual(['read']);
    expect(made.runs.flatMap((run) => run.calls.map((one) => [one.call, one.messageIndex, one.callNo]))).toEqual([
      [1, 2, 1],
      [2, 4, 2],
      [3, 6, 1],
    ]);
  });

  it('takes an aborted, a failed and an empty answer for a failed model call (rule 1)', () => {
    const made = plan([
      user('a'),
      answer('part', [call('1')], { stop_reason: 'aborted' }),
      user('b'),
      answer('', [], { stop_reason: 'error', error: 'overloaded' }),
      user('c'),
      answer(' \n'),
    ]);
    expect(shapeOf(made)).toEqual([
      [0, ['aborted'], 'cancelled'],
      [2, ['error'], 'failed'],
      [4, ['empty'], 'cancelled'],
    ]);
    expect(made.runs[0]?.calls[0]?.outcome).toMatchObject({
      partial: { content: [{ type: 'text', text: 'part' }], tool_calls: [{ id: '1' }] },
    });
    expect(made.runs[1]?.calls[0]?.outcome).toMatchObject({ detail: 'overloaded' });
  });

  it('goes on with [continue] after a failed call that no user message follows (rules 1 and 4)', () => {
    expect(shapeOf(plan([user('a'), answer('', [], { stop_reason: 'error' }), answer('b')]))).toEqual([
      [0, ['error'], 'failed'],
      [null, [[]], 'succeeded'],
    ]);
  });

  it('cancels where a call was never answered (rule 2)', () => {
    expect(shapeOf(plan([user('a'), answer('', [call('1'), call('2')]), result('2'), user('b'), answer('c')]))).toEqual(
      [
        [0, [[null, 2]], 'cancelled'],
        [3, [[]], 'succeeded'],
      ],
    );
  });

  it('cancels before the next call when a user message follows results (rule 3)', () => {
    expect(shapeOf(plan([user('a'), answer('', [call('1')]), result('1'), user('b'), answer('c')]))).toEqual([
      [0, [[2]], 'cancelled'],
      [3, [[]], 'succeeded'],
    ]);
  });

  it('starts a run with [continue] between two finished answers, and in front of a session that begins with one (rule 4)', () => {
    const made = plan([answer('first'), answer('second')]);
    expect(shapeOf(made)).toEqual([
      [null, [[]], 'succeeded'],
      [null, [[]], 'succeeded'],
    ]);
    expect(made.runs.map((run) => run.task)).toEqual(['[continue]', '[continue]']);
  });

  it('cancels a session that ends on a result (rule 5), and a user message that nothing answers', () => {
    expect(shapeOf(plan([user('a'), answer('', [call('1')]), result('1')]))).toEqual([[0, [[2]], 'cancelled']]);
    expect(shapeOf(plan([user('a'), user('b'), answer('c')]))).toEqual([
      [0, [], 'cancelled'],
      [1, [[]], 'succeeded'],
    ]);
  });

  it('pairs results by the newest answer when ids repeat (row 20), and front to back within one answer', () => {
    const made = plan([
      user('a'),
      answer('', [call('c0')]),
      result('c0', 'x'),
      answer('', [call('c0'), call('c0')]),
      result('c0', 'y'),
      result('c0', 'z'),
      result('c0', 'more'),
      answer('end'),
    ]);
    expect(shapeOf(made)).toEqual([[0, [[2], [4, 5], []], 'succeeded']]);
    expect(made.unusedResults).toEqual([6]);
  });

  it("names the model of each call: the answer's own, else the last change", () => {
    const made = plan(
      [user('a'), answer('1', [], { model: 'x' }), user('b'), answer('2'), user('c'), answer('3', [], { model: 'z' })],
      { events: [{ at: 2, type: 'model_change', provider: 'p', model: 'y' }] },
    );
    expect(made.runs.flatMap((run) => run.calls.map((one) => one.model))).toEqual(['x', 'y', 'z']);
  });

  it('fails a run whose answer was cut by length', () => {
    expect(shapeOf(plan([user('a'), answer('cut', [], { stop_reason: 'length' })]))).toEqual([[0, [[]], 'failed']]);
  });

  it('takes a later system message for an injected one', () => {
    expect(plan([user('a'), answer('b'), { role: 'system', content: 'note' }, answer('c')]).runs[1]).toMatchObject({
      userIndex: 2,
      injected: true,
      task: 'note',
    });
  });
});

describe('transcriptSchema', () => {
  it('reads OpenAI chat messages and keeps keys it does not know', () => {
    const read = transcriptSchema.parse([
      { role: 'developer', content: 'p' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
        name: 'ann',
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: '1', content: 'r' },
    ]);
    expect(read.messages).toMatchObject([
      { role: 'system' },
      {
        role: 'user',
        name: 'ann',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', media_type: 'image/png', data: 'AAAA' },
        ],
      },
      { role: 'assistant', tool_calls: [{ id: '1', name: 'f', arguments: '{}' }] },
      { role: 'tool' },
    ]);
  });

  it('keeps a part of an unknown type as other', () => {
    expect(
      transcriptSchema.parse({ messages: [{ role: 'user', content: [{ type: 'audio', data: 'x' }] }] }).messages[0]
        ?.content,
    ).toEqual([{ type: 'other', raw: { type: 'audio', data: 'x' } }]);
  });

  it('refuses what is no transcript, with the path', () => {
    const refused = transcriptSchema.safeParse({ messages: [{ role: 'user', content: 7 }, { role: 'robot' }] });
    expect(refused.error?.issues.map((issue) => issue.path.slice(0, 2))).toEqual([
      ['messages', 0],
      ['messages', 1],
    ]);
  });
});
