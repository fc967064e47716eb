import { sessionUnder, windowPolicy } from '../testing/session.js';

const policy = windowPolicy({ forget_after_turns: 2, mask_batch_turns: 1 });

describe('forgetting', () => {
  it('leaves older exchanges out without a placeholder', () => {
    const session = sessionUnder(policy);
    for (const n of [1, 2, 3, 4]) session.user(`question ${n}`, 'user').turn(`answer ${n}`);
    session.user('question 5', 'user');
    const build = session.ready();
    expect(build.messages.flatMap(({ entries }) => entries)).toEqual([5, 6, 7, 8, 9]);
    expect(build.omitted).toEqual([{ entries: [1, 4], state: 'forgotten', chars: 36 }]);
  });

  it('keeps the user message that prompted the first kept turn (row 52)', () => {
    const session = sessionUnder(policy).user('the task');
    for (const n of [1, 2, 3, 4]) session.turn('', [`result ${n}`]);
    const build = session.ready();
    expect(build.messages[0]).toMatchObject({
      entries: [1],
      message: { role: 'user', content: [{ text: 'the task' }] },
    });
    expect(build.messages.map(({ message }) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ]);
  });

  it('never forgets the summary', () => {
    const session = sessionUnder(
      windowPolicy({
        forget_after_turns: 6,
        soft_cap_chars: 4_000,
        hard_cap_chars: 8_000,
        min_tail_turns: 1,
        observation_window: 9,
      }),
    ).user('the task');
    for (let n = 0; n < 12; n += 1)
      session.turn(`did step ${n} of the plan because of reason ${n}`, ['out '.repeat(180)]);
    const build = session.ready();
    expect(JSON.stringify(build.messages[0]?.message)).toContain('[compacted history]');
    expect(build.messages[1]).toMatchObject({ entries: [1], pinned: true });
  });
});
