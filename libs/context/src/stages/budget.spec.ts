import { effectivePolicy, type EffectivePolicy } from '../policy/index.js';
import { sessionUnder, type Session } from '../testing/session.js';

const budgetOnly = (budget: object, more: object = {}): EffectivePolicy =>
  effectivePolicy({ step: { budget, ...more } }, false);

/** Exchanges of a question, a tool call with its result, and a final answer: entries 4n+1 … 4n+4. */
function exchanges(policy: EffectivePolicy, count: number, size = 1): Session {
  const session = sessionUnder(effectivePolicy({ step: { window: 'off' } }, false));
  for (let n = 0; n < count; n += 1)
    session
      .user(`question ${n} `.repeat(20), n === 0 ? 'task' : 'user')
      .turn('', [`result ${n} `.repeat(30 * size)])
      .turn(`answer ${n} `.repeat(10));
  return session.user('the last question', 'user').follow(policy, session.manifest.model);
}
const shown = (session: Session): number[] => session.ready().messages.flatMap(({ entries }) => entries);
const omitted = (session: Session): unknown[] =>
  session.ready().omitted.map(({ entries, state }) => [entries[0], entries[1], state]);

describe('a budget', () => {
  it('does nothing at its bounds, and with none', () => {
    // System prompt, four messages of the user, six answers, three calls and three results.
    const atBounds = exchanges(budgetOnly({ max_context_items: 17 }), 3);
    const { tokens } = atBounds.ready();
    expect(omitted(atBounds)).toEqual([]);
    expect(omitted(exchanges(budgetOnly({ max_tokens: tokens }), 3))).toEqual([]);
    expect(omitted(exchanges(budgetOnly({}), 3))).toEqual([]);
  });

  it('waits for a summary of all exchanges but the last ones, in async mode too', () => {
    const session = exchanges(budgetOnly({ max_context_items: 16, keep_recent_turns: 2 }), 3);
    const build = session.build();
    expect(build).toMatchObject({ kind: 'wait', next: 'compaction', reason: 'budget' });
    // Two of four exchanges stay: the newest question and the one before it.
    expect(build.kind === 'wait' && build.proposal).toMatchObject({ entries: [1, 8], reason: 'budget' });
    expect(session.settled().kind).toBe('ready');
    // The task is in the range, and stands behind the summary.
    expect(omitted(session)).toEqual([[2, 8, 'summarised']]);
    expect(shown(session).slice(0, 2)).toEqual([1, 9]);
  });

  it('keeps only the current exchange with keep_recent_turns 0', () => {
    const session = exchanges(budgetOnly({ max_context_items: 10, keep_recent_turns: 0 }), 3);
    session.settled();
    expect(omitted(session)).toEqual([[2, 12, 'summarised']]);
  });

  it('leaves out whole turns, oldest first, a user message with the last turn of its exchange', () => {
    const session = exchanges(budgetOnly({ max_context_items: 14, keep_recent_turns: 9 }), 3);
    // Call and result of the first turn are three items.
    expect(omitted(session)).toEqual([[2, 3, 'truncated']]);
    const more = exchanges(budgetOnly({ max_context_items: 13, keep_recent_turns: 9 }), 3);
    expect(omitted(more)).toEqual([[2, 4, 'truncated']]);
    const next = exchanges(budgetOnly({ max_context_items: 10, keep_recent_turns: 9 }), 3);
    // The second question stays as long as its answer does.
    expect(omitted(next)).toEqual([
      [2, 4, 'truncated'],
      [6, 7, 'truncated'],
    ]);
    // The task is protected: it stands in front of what is left.
    expect(next.ready().messages[0]).toMatchObject({ entries: [1], pinned: true });
    expect(next.ready().messages[1]).toMatchObject({ entries: [5], pinned: false });
  });

  it('never leaves out the last user message and what follows it, and says so', () => {
    const session = exchanges(budgetOnly({ max_tokens: 40, keep_recent_turns: 9 }), 2);
    session.turn('', ['a result of the current exchange '.repeat(20)]);
    const build = session.ready();
    expect(shown(session)).toEqual([1, 9, 10, 11]);
    expect(build.report['over_budget']).toBe(true);
    expect(
      sessionUnder(budgetOnly({ max_tokens: 4_000 }))
        .user('x')
        .ready().report['over_budget'],
    ).toBeUndefined();
  });

  it('does not bring back what it left out', () => {
    const session = exchanges(budgetOnly({ max_context_items: 10, keep_recent_turns: 9 }), 3);
    const first = session.ready();
    expect(first.frontier.truncated_to).toBe(6);
    session.turn('a short answer');
    expect(session.ready().frontier.truncated_to).toBeGreaterThanOrEqual(6);
  });

  it('truncates instead once the summary failed and code has nothing to summarise', () => {
    const session = exchanges(budgetOnly({ max_context_items: 10, keep_recent_turns: 1 }), 3);
    const build = session.build();
    if (build.kind !== 'wait' || build.proposal === null) throw new Error('no proposal');
    const costs = { usage: null, cost_usd: null };
    const id = session.requested(build.proposal);
    session.append('CompactionFailed', { compaction_id: id, class: 'server_error', detail: '', attempts: 1, ...costs });
    const extractive = session.build();
    expect(extractive).toMatchObject({
      kind: 'wait',
      next: 'extractive',
      reason: 'budget',
      proposal: { reason: 'ladder' },
    });
    if (extractive.kind !== 'wait' || extractive.proposal === null) throw new Error('no proposal');
    session.append('CompactionSkipped', {
      compaction_id: session.requested(extractive.proposal),
      reason: 'not_smaller',
      bytes_saved: -1,
      chars_before: 1,
      chars_after: 2,
      ...costs,
    });
    expect(omitted(session).map((one) => (one as unknown[])[2])).toEqual(['truncated', 'truncated']);
  });

  it('goes no further than min_tail_turns beside a window, and makes one proposal: the larger range', () => {
    const more = { window: { soft_cap_chars: 1_500, hard_cap_chars: 60_000, min_tail_turns: 3 } };
    const both = exchanges(budgetOnly({ max_context_items: 10, keep_recent_turns: 1 }, more), 3).build();
    // Six turns, three of them stay: the budget alone would take all.
    expect(both.kind === 'wait' && both.proposal?.entries).toEqual([1, 7]);
    const larger = { window: { soft_cap_chars: 1_500, hard_cap_chars: 60_000, min_tail_turns: 0 } };
    const wide = exchanges(budgetOnly({ max_context_items: 16, keep_recent_turns: 3 }, larger), 3, 20).build();
    const budgetAlone = exchanges(budgetOnly({ max_context_items: 16, keep_recent_turns: 3 }), 3, 20).build();
    const endOf = (build: typeof wide): number => (build.kind === 'wait' ? (build.proposal?.entries[1] ?? 0) : 0);
    expect(endOf(budgetAlone)).toBe(4);
    expect(endOf(wide)).toBeGreaterThan(4);
  });

  it('lets the last rung of the ladder leave turns out', () => {
    const model = { windowTokens: 400, maxOutputTokens: 100 };
    const within = (policy: EffectivePolicy): Session => {
      const session = exchanges(policy, 3);
      return session.follow(policy, { ...session.manifest.model, ...model });
    };
    expect(within(budgetOnly({ max_context_items: 100, keep_recent_turns: 9 })).settled().kind).toBe('ready');
    expect(within(effectivePolicy({ step: { window: 'off' } }, false)).settled().kind).toBe('over_hard_cap');
  });
});
