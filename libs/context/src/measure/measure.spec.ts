import { sessionUnder, windowPolicy } from '../testing/session.js';
import { entryChars } from './entry-chars.js';
import { approxTokens, estimateTokens } from './estimate-tokens.js';

const user = (
  content: Parameters<typeof entryChars>[0]['data'] extends never
    ? never
    : string | { type: 'text'; text: string }[] | object[],
): number =>
  entryChars({ type: 'UserMessageReceived', data: { origin: 'user', content } } as Parameters<typeof entryChars>[0]);

describe('the chars of an entry', () => {
  it('are code points, alike for every script (row 90)', () => {
    expect(user('héllo')).toBe(5);
    expect(user('привет')).toBe(6);
    expect(user('第二段')).toBe(3);
    expect(user('📥📥')).toBe(2);
  });

  it('weigh images and documents, however large their data are (rows 91, 92)', () => {
    expect(user([{ type: 'image', media_type: 'image/png', data: 'A'.repeat(3_000_000) }])).toBe(6_000);
    expect(user([{ type: 'document', data: 'A'.repeat(9_000), pages: 3 }])).toBe(27_000);
    expect(user([{ type: 'document', data: 'A' }])).toBe(9_000);
    expect(user([{ type: 'other', raw: { type: 'document', source: {} } }])).toBe(9_000);
    expect(user([{ type: 'other', raw: { type: 'widget', n: 1 } }])).toBe(23);
  });

  it('count names and arguments of calls, and structured results (rows 87, 93)', () => {
    const message = { content: [], tool_calls: [{ id: 'x'.repeat(50), name: 'write', arguments: 'a'.repeat(40_000) }] };
    expect(
      entryChars({
        type: 'LlmCallCompleted',
        data: {
          call_no: 1,
          try: 1,
          model: 'm',
          message,
          finish_reason: 'tool_calls',
          usage: null,
          cost_usd: null,
          wire_hash: null,
        },
      }),
    ).toBe(40_005);
    expect(entryChars({ type: 'MemoryShown', data: { memory: { a: 1 }, memory_seq: 1 } })).toBe(7);
    expect(entryChars({ type: 'ConversationInterrupted', data: { reason: 'failed' } })).toBe(0);
  });
});

describe('the token estimate', () => {
  it.each([
    ['English prose', 'The quick brown fox jumps over the lazy dog and runs into the forest. ', 16],
    ['code', 'const value = items.filter((item) => item.count > 3).map(toName);\n', 18],
    ['Russian', 'Быстрая коричневая лиса прыгает через ленивую собаку. ', 15],
    ['Chinese', '快速的棕色狐狸跳过懒狗。', 12],
    ['emoji', '👩‍👩‍👧📥🎉', 14],
    ['base64', 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk', 44],
  ])('is near what vocabularies of 200,000 pieces give for %s', (_, text, tokens) => {
    expect(estimateTokens(text)).toBeGreaterThan(tokens * 0.7);
    expect(estimateTokens(text)).toBeLessThan(tokens * 1.45);
  });

  it('is whole and scaled by the ratio', () => {
    expect(approxTokens('')).toBe(0);
    expect(approxTokens('hello world', 3)).toBe(Math.ceil(estimateTokens('hello world') * 3));
  });

  it('is corrected by the usage of the last call of the same model, within 0.5 and 3 (rows 94, 95)', () => {
    const session = sessionUnder(windowPolicy({})).user('word '.repeat(500));
    const before = session.ready();
    session.turn('', ['ok'], { usage: Math.round(before.tokens * 1.5) });
    expect(Number(session.ready().report['token_ratio'])).toBeCloseTo(1.5, 1);
    session.turn('', ['ok'], { usage: before.tokens * 200 });
    expect(session.ready().report['token_ratio']).toBe(3);
    session.turn('', ['ok'], { usage: 1 });
    expect(session.ready().report['token_ratio']).toBe(0.5);
  });
});

describe('a build', () => {
  it('says what the history would measure with repair only', () => {
    const session = sessionUnder(windowPolicy({ observation_window: 1, mask_batch_turns: 1 })).user('go');
    for (let n = 0; n < 5; n += 1) session.turn('', ['z'.repeat(3_000)]);
    const unmanaged = session.build('unmanaged');
    expect(unmanaged.kind === 'ready' && unmanaged.chars).toBe(session.ready().report['chars_unmanaged']);
    expect(session.ready().chars).toBeLessThan(5_000);
  });

  it('sends an image without a compaction, however many bytes it has (row 91)', () => {
    const session = sessionUnder(windowPolicy({ soft_cap_chars: 20_000, hard_cap_chars: 40_000 }));
    session.user([
      { type: 'text', text: 'look' },
      { type: 'image', media_type: 'image/png', data: 'A'.repeat(3_000_000) },
    ]);
    expect(session.ready()).toMatchObject({ proposal: null, chars: 6_019 });
  });
});
