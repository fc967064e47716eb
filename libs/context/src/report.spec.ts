import { effectivePolicy } from './policy/index.js';
import { sessionUnder } from './testing/session.js';

describe('what is recorded of a build', () => {
  it.each([
    ['window', { window: { soft_cap_chars: 3_000, hard_cap_chars: 9_000, min_tail_turns: 2, observation_window: 3 } }],
    ['forgetting', { window: { forget_after_turns: 5, mask_batch_turns: 1 } }],
    ['budget', { budget: { max_tokens: 900 } }],
    ['blocks', { blocks: { window_width_tokens: 1_500 } }],
  ])('does not grow with the history: %s (row 124)', (_name, context) => {
    const policy = effectivePolicy({ step: { ...context, compaction: { mode: 'blocking' } } }, false);
    const sizes = [15, 50].map((exchanges) => {
      const session = sessionUnder(policy);
      for (let n = 0; n < exchanges; n += 1)
        session
          .user(`question ${n}`, n === 0 ? 'task' : 'user')
          .turn('', ['out '.repeat(60)])
          .turn(`answer ${n}`);
      const build = session.user('the last', 'user').ready();
      return JSON.stringify([build.report, build.frontier]).length;
    });
    expect((sizes[1] ?? 0) / (sizes[0] ?? 1)).toBeLessThan(1.25);
  });
});
