import { effectivePolicy, type EffectivePolicy } from '../policy/index.js';
import { sessionUnder, type Session } from '../testing/session.js';
import { exactShare } from '../exact-share.js';

const blocksOnly = (blocks: object): EffectivePolicy => effectivePolicy({ step: { blocks } }, false);

/** Blocks of a question, a tool call with a long result, and a final answer: entries 4n+1 … 4n+4. */
function blocksOf(policy: EffectivePolicy, count: number): Session {
  const session = sessionUnder(effectivePolicy({ step: { window: 'off' } }, false));
  for (let n = 0; n < count; n += 1)
    session
      .user(`question ${n}`, n === 0 ? 'task' : 'user')
      .turn('', [`result ${n} `.repeat(200)])
      .turn(`answer ${n}`);
  return session.user('the last question', 'user').follow(policy, session.manifest.model);
}
const omitted = (session: Session): unknown[] =>
  session.ready().omitted.map(({ entries, state }) => [entries[0], entries[1], state]);

describe('blocks', () => {
  it('do nothing below the trigger, and nothing where no width is known', () => {
    const { tokens } = blocksOf(blocksOnly({}), 4).ready();
    const width = Math.ceil((tokens + 1) / 0.8) + 1;
    expect(omitted(blocksOf(blocksOnly({ window_width_tokens: width }), 4))).toEqual([]);
    expect(omitted(blocksOf(blocksOnly({}), 40))).toEqual([]);
  });

  it('keep the newest complete blocks whole while they fit, and of older ones questions and final answers', () => {
    const { tokens } = blocksOf(blocksOnly({}), 4).ready();
    const widths = { window_width_tokens: tokens, compaction_trigger_ratio: 1, compaction_target_ratio: 0.4 };
    const session = blocksOf(blocksOnly(widths), 4);
    // Two fifths of four blocks: one whole, and the outlines of the others.
    expect(omitted(session)).toEqual([
      [2, 3, 'elided'],
      [6, 7, 'elided'],
      [10, 11, 'elided'],
    ]);
    expect(session.ready().frontier).toMatchObject({ elided_to: 12 });
    expect(session.ready().frontier.left_out_to).toBeUndefined();
  });

  it('leave out the oldest outlines where not all of them fit; the task stays', () => {
    const whole = blocksOf(blocksOnly({}), 1).ready().tokens;
    // Room for the newest block and some outlines.
    const target = (whole + 50) / 1_000;
    const policy = blocksOnly({ window_width_tokens: 1_000, compaction_target_ratio: target, keep_last_blocks: 1 });
    const session = blocksOf(policy, 9);
    const build = session.ready();
    const left = build.frontier.left_out_to ?? 0;
    expect(left).toBeGreaterThan(0);
    expect(build.frontier.elided_to).toBe(32);
    expect(build.messages[0]).toMatchObject({ entries: [1], pinned: true });
    const shown = new Set(build.messages.flatMap(({ entries }) => entries));
    for (let entry = 2; entry <= 32; entry += 1)
      expect([entry, shown.has(entry)]).toEqual([entry, entry > left && [0, 1].includes(entry % 4)]);
  });

  it('keep the newest block whole however large it is, and the open one', () => {
    const session = blocksOf(blocksOnly({ window_width_tokens: 100, compaction_target_ratio: 0.01 }), 3);
    session.turn('', ['of the open block '.repeat(200)]);
    expect(session.ready().messages.flatMap(({ entries }) => entries)).toEqual([1, 9, 10, 11, 12, 13, 14, 15]);
  });

  it('keep at most keep_last_blocks whole', () => {
    const { tokens } = blocksOf(blocksOnly({}), 6).ready();
    const policy = blocksOnly({
      window_width_tokens: tokens,
      compaction_trigger_ratio: 1,
      compaction_target_ratio: 0.99,
      keep_last_blocks: 2,
    });
    expect(blocksOf(policy, 6).ready().frontier.elided_to).toBe(16);
  });

  it('hold their boundaries until the trigger is reached again, and only move them forward', () => {
    const { tokens } = blocksOf(blocksOnly({}), 6).ready();
    const session = blocksOf(blocksOnly({ window_width_tokens: tokens }), 6);
    const first = session.ready();
    expect(first.frontier.elided_to).toBeGreaterThan(0);
    session.turn('an answer').user('another question', 'user');
    const next = session.ready();
    expect(next.frontier).toEqual(first.frontier);
    expect(next.messages.slice(0, first.messages.length)).toEqual(first.messages);
    for (let n = 0; n < 4; n += 1)
      session
        .turn('', ['result '.repeat(300)])
        .turn('answer')
        .user('more', 'user');
    expect(session.ready().frontier.elided_to).toBeGreaterThan(first.frontier.elided_to);
  });

  it('make no summary', () => {
    const session = blocksOf(blocksOnly({ window_width_tokens: 300 }), 6);
    expect(session.build()).toMatchObject({ kind: 'ready', proposal: null });
  });

  it('count with ratios as decimals', () => {
    expect(exactShare(100, 0.29)).toBe(29);
    expect(exactShare(1_000, 0.57)).toBe(570);
    expect(exactShare(7, 1)).toBe(7);
    expect(exactShare(200_000, 5e-7)).toBe(0);
    expect(exactShare(20_000_000, 5e-7)).toBe(10);
  });
});
