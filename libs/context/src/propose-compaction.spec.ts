import type { CompactionProposal } from './build-result.js';
import { effectivePolicy, type EffectivePolicy } from './policy/index.js';
import { sessionUnder, windowPolicy, type Session } from './testing/session.js';

const say = (n: number): string => `step ${n}: ${'because of this and that '.repeat(30)}`;
const asyncPolicy = (window: { [field: string]: number }): EffectivePolicy =>
  effectivePolicy({ step: { window } }, false);
const caps = { soft_cap_chars: 6_000, hard_cap_chars: 60_000, min_tail_turns: 2 };

/** Turns until a build proposes something. */
function proposed(session: Session, most = 40): CompactionProposal {
  for (let n = 0; n < most; n += 1) {
    const build = session.build();
    if (build.kind !== 'over_hard_cap' && build.proposal !== null) return build.proposal;
    session.turn(say(n));
  }
  throw new Error('nothing was proposed');
}

const summary = (proposal: CompactionProposal): string => 's'.repeat(proposal.maxSummaryChars);
const answersBehind = (session: Session, seq: number): number =>
  session.events.filter((event) => event.type === 'LlmCallCompleted' && event.seq > seq).length;

describe('a proposal', () => {
  it('comes when the size is strictly over the soft cap, with as many of the oldest turns as the target needs', () => {
    const session = sessionUnder(asyncPolicy(caps)).user('the task');
    const proposal = proposed(session);
    const size = session.build().kind === 'ready' ? session.ready().chars : 0;
    expect(size).toBeGreaterThan(6_000);
    expect(proposal).toMatchObject({ supersedes: null, reason: 'soft_cap', viewRunId: null, cutoffSeq: 0 });
    expect(proposal.range[0]).toBe(1);
    expect(proposal.entries[0]).toBe(1);
    expect(proposal.projectedChars).toBeLessThanOrEqual(3_000);
    expect(answersBehind(session, proposal.range[1])).toBeGreaterThanOrEqual(2);
    const at = session.events.find(({ seq }) => seq === proposal.range[1]);
    expect(at?.type).toBe('LlmCallCompleted');
  });

  it('is not made while one is open, nor again before new turns came (rows 47, C14)', () => {
    const session = sessionUnder(asyncPolicy(caps)).user('the task');
    const proposal = proposed(session);
    const id = session.requested(proposal);
    session.turn(say(50));
    expect(session.ready().proposal).toBeNull();
    session.compacted(id, proposal, summary(proposal));
    expect(session.ready().proposal).toBeNull();
    expect(session.ready().frontier.compaction_id).toBe(id);
  });

  it('nests: the next one begins at the same event and supersedes the live one', () => {
    const session = sessionUnder(asyncPolicy(caps)).user('the task');
    const first = proposed(session);
    const id = session.requested(first);
    session.compacted(id, first, summary(first));
    const second = proposed(session);
    expect(second.supersedes).toBe(id);
    expect(second.range[0]).toBe(first.range[0]);
    expect(second.range[1]).toBeGreaterThan(first.range[1]);
  });

  it('is made again after a skip or failure only when the range has grown (rows 42, 43, 48, 50)', () => {
    const session = sessionUnder(asyncPolicy(caps)).user('the task');
    const proposal = proposed(session);
    const costs = { usage: null, cost_usd: null };
    session.append('CompactionSkipped', {
      compaction_id: session.requested(proposal),
      reason: 'not_smaller',
      bytes_saved: -3,
      chars_before: 10,
      chars_after: 13,
      ...costs,
    });
    const before = session.events.filter(({ type }) => type === 'LlmCallCompleted').length;
    const again = proposed(session);
    const grown = session.events.filter(
      (event) => event.type === 'LlmCallCompleted' && event.seq > proposal.range[1] && event.seq <= again.range[1],
    ).length;
    expect(grown).toBeGreaterThanOrEqual(4);
    for (let failure = 0; failure < 3; failure += 1) {
      session.append('CompactionFailed', {
        compaction_id: session.requested(again),
        class: 'rate_limited',
        detail: '429',
        attempts: 1,
        ...costs,
      });
      expect(session.ready().proposal).toBeNull();
    }
    expect(before).toBeGreaterThan(0);
    const late = proposed(session, 80);
    const backOff = session.events.filter(
      (event) => event.type === 'LlmCallCompleted' && event.seq > again.range[1] && event.seq <= late.range[1],
    ).length;
    expect(backOff).toBeGreaterThanOrEqual(16);
  });

  it('is not repeated turn for turn where the tail alone is over the soft cap (rows 43, 44)', () => {
    const session = sessionUnder(asyncPolicy({ ...caps, min_tail_turns: 9 })).user('the task');
    let requests = 0;
    for (let n = 0; n < 40; n += 1) {
      const build = session.ready();
      session.turn(say(n));
      if (build.proposal !== null) {
        requests += 1;
        session.compacted(session.requested(build.proposal), build.proposal, summary(build.proposal));
      }
    }
    expect(requests).toBeGreaterThan(0);
    expect(requests).toBeLessThanOrEqual(5);
  });

  it('takes an old unanswered call in, and never the newest turn while it is open (rows 29, 84)', () => {
    const session = sessionUnder(asyncPolicy({ ...caps, min_tail_turns: 0 })).user('the task');
    session.turn('', [null]).append('ConversationInterrupted', { reason: 'cancelled' }).user('go on', 'user');
    for (let n = 0; n < 8; n += 1) session.turn(say(n));
    const proposal = proposed(session);
    expect(proposal.range[1]).toBeGreaterThan(session.events.find(({ type }) => type === 'LlmCallCompleted')?.seq ?? 0);
    const open = sessionUnder(asyncPolicy({ ...caps, min_tail_turns: 0 }))
      .user('the task')
      .turn(say(1))
      .turn(say(2))
      .turn('x'.repeat(6_000), [null]);
    const build = open.build();
    const range = build.kind === 'over_hard_cap' ? null : build.proposal?.range;
    expect(range?.[1] ?? 0).toBeLessThan(open.events.findLast(({ type }) => type === 'LlmCallCompleted')?.seq ?? 0);
  });

  it('never ends inside a turn, also where a result came late', () => {
    const session = sessionUnder(asyncPolicy({ ...caps, min_tail_turns: 0 }))
      .user('the task')
      .turn('', [null]);
    session.user('go on', 'user');
    for (let n = 0; n < 5; n += 1) session.turn(say(n));
    session.append('ToolCallCompleted', {
      call_no: 1,
      ordinal: 0,
      tool_call_id: 'call_0',
      name: 'read',
      status: 'ok',
      content: 'late',
      argument: null,
    });
    for (let n = 0; n < 5; n += 1) session.turn(say(n));
    const late = session.events.find(({ type }) => type === 'ToolCallCompleted')?.seq ?? 0;
    expect(proposed(session).range[1]).toBeGreaterThan(late);
  });

  it('is made for a range of answers and results only, and for a single huge first message (rows 82, 85)', () => {
    const session = sessionUnder(asyncPolicy(caps)).user('u'.repeat(7_000));
    expect(session.ready().proposal).toBeNull();
    for (let n = 0; n < 4; n += 1) session.turn(say(n));
    const proposal = proposed(session);
    expect(proposal.projectedChars).toBeGreaterThan(7_000);
  });

  it('bounds the summary by share, policy and target', () => {
    const session = sessionUnder(windowPolicy(caps, { max_summary_chars: 300 })).user('the task');
    for (let n = 0; n < 30; n += 1) session.turn(say(n));
    const requests = session.events.filter((event) => event.type === 'CompactionRequested');
    expect(requests.length).toBeGreaterThan(1);
    for (const { data } of requests) expect(data.max_summary_chars).toBeLessThanOrEqual(300);
  });
});
