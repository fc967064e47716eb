import { countCodePoints, isWellFormed } from '../shape/index.js';
import { sessionUnder, windowPolicy } from '../testing/session.js';
import { shortenArguments } from './shorten-arguments.js';

const policy = windowPolicy({ observation_window: 1, mask_batch_turns: 1 });
const long = 'line of output\n'.repeat(100);

const resultsOf = (session: ReturnType<typeof sessionUnder>): string[] =>
  session.ready().messages.flatMap(({ message }) => (message.role === 'tool' ? [JSON.stringify(message.content)] : []));

describe('masking', () => {
  it('shows call, argument, status, size and entry of older results, and leaves the last turns whole', () => {
    const session = sessionUnder(policy).user('go').turn('', [long]).turn('', [long]);
    const [first, second] = resultsOf(session);
    expect(first).toContain('[masked: read(\\"a.ts\\") → ok, 1,500 chars, #3]');
    expect(second).toContain('line of output');
  });

  it('keeps status and the first line of an error, at most 200 chars (row 130)', () => {
    const session = sessionUnder(policy)
      .user('go')
      .turn('', [`\nENOENT: no such file ${'x'.repeat(400)}\n${long}`], { status: 'error' })
      .turn('', ['short']);
    const placeholder = resultsOf(session)[0] ?? '';
    expect(placeholder).toContain('→ error, ');
    expect(placeholder).toContain(': ENOENT: no such file');
    expect(placeholder.length).toBeLessThan(320);
  });

  it('leaves a result alone that is shorter than its placeholder', () => {
    const session = sessionUnder(policy).user('go').turn('', ['done']).turn('', [long]);
    expect(resultsOf(session)[0]).toContain('done');
  });

  it('masks documents of older turns and never a user message (row 58)', () => {
    const session = sessionUnder(policy).append('DocumentsProvided', { content: long, name: 'hand"book' });
    session.user('x'.repeat(8_000)).turn('first').user('next', 'user').turn('second');
    const texts = session.ready().messages.map(({ message }) => JSON.stringify(message.content));
    expect(texts[0]).toContain('[masked: documents() → ok, 1,500 chars, #1]');
    expect(texts[0]).not.toContain('hand');
    expect(texts[1]).toContain('x'.repeat(8_000));
  });

  it('shortens long arguments of masked turns to valid JSON and keeps calls and ids', () => {
    const args = JSON.stringify({ path: 'a.ts', content: '👩‍👩‍👧 '.repeat(900) });
    const session = sessionUnder(policy).user('go').turn('', ['ok'], { args }).turn('', ['ok']);
    const [first, second] = session.ready().request.messages.filter(({ role }) => role === 'assistant');
    const call = first?.role === 'assistant' ? first.tool_calls[0] : undefined;
    expect(countCodePoints(call?.arguments ?? '')).toBeLessThan(1_000);
    expect(JSON.parse(call?.arguments ?? '')).toMatchObject({ path: 'a.ts' });
    expect(second?.role === 'assistant' && second.tool_calls[0]?.arguments).toBe('{"path":"a.ts"}');
  });
});

describe('shortened arguments', () => {
  it('are a JSON object of at most 1,000 chars, whatever came in', () => {
    const inputs = [
      JSON.stringify({ a: Array.from({ length: 500 }, (_, at) => ({ at, text: 'y'.repeat(90) })) }),
      `{"broken": "${'z'.repeat(3_000)}`,
      JSON.stringify('s'.repeat(2_000)),
      JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`key${at}`, '📥'.repeat(20)]))),
      JSON.stringify({ ['__proto__x'.repeat(200)]: 1, ok: 'v'.repeat(1_200) }),
    ];
    for (const input of inputs) {
      const short = shortenArguments(input);
      expect(countCodePoints(short)).toBeLessThanOrEqual(1_000);
      expect(typeof JSON.parse(short)).toBe('object');
      expect(isWellFormed(short)).toBe(true);
      expect(shortenArguments(short)).toBe(short);
    }
  });

  it('stay as they are up to 1,000 chars', () => {
    const fits = JSON.stringify({ a: 'é'.repeat(990) });
    expect(shortenArguments(fits)).toBe(fits);
  });
});
