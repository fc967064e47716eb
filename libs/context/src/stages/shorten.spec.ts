import { isWellFormed } from '../shape/index.js';
import { sessionUnder, windowPolicy } from '../testing/session.js';

const policy = windowPolicy({
  soft_cap_chars: 40_000,
  hard_cap_chars: 200_000,
  min_tail_turns: 4,
  observation_window: 9,
});
const toolOf = (session: ReturnType<typeof sessionUnder>) =>
  session.ready().messages.filter(({ message }) => message.role === 'tool');

/** context-failures row 44: one giant item is dealt with by itself, whatever the size of the rest. */
describe('a result that is alone over the soft cap', () => {
  const giant = `HEAD ${'📥 '.repeat(30_000)}TAIL`;

  it('is shown by its ends, far below every cap of the request, and says which entry has the rest', () => {
    const session = sessionUnder(policy)
      .user('go')
      .turn('', [giant, 'y'.repeat(39_000)]);
    const [cut, whole] = toolOf(session);
    expect(cut?.state).toBe('shortened');
    const text = JSON.stringify(cut?.message.content);
    expect(text).toMatch(/HEAD .*\[… 50009 chars of #3 left out …\].*TAIL/u);
    expect(isWellFormed(text)).toBe(true);
    expect(cut?.chars).toBeLessThan(10_100);
    expect(whole?.state).toBe('whole');
  });

  it('asks for no summary and stays as it is from call to call, until it is masked', () => {
    const session = sessionUnder(policy).user('go').turn('', [giant]);
    const before = JSON.stringify(toolOf(session)[0]?.message);
    for (let n = 0; n < 4; n += 1) session.turn('', ['short']);
    const build = session.ready();
    expect(build.proposal).toBeNull();
    expect(JSON.stringify(toolOf(session)[0]?.message)).toBe(before);
    for (let n = 0; n < 12; n += 1) session.turn('', ['short']);
    expect(toolOf(session)[0]?.state).not.toBe('whole');
  });

  it('keeps images: what they weigh is no text to cut', () => {
    const image = { type: 'image' as const, media_type: 'image/png', data: 'AAAA' };
    const session = sessionUnder(policy)
      .user('go')
      .turn('', [Array.from({ length: 8 }, () => image)]);
    expect(toolOf(session)[0]?.state).toBe('whole');
  });
});
