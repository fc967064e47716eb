import { neededEvents } from './needed-events.js';
import { lastBuildOf } from './view/read-view.js';
import { sessionUnder, testModel, windowPolicy, type Session } from './testing/session.js';

const policy = windowPolicy({ soft_cap_chars: 6_000, hard_cap_chars: 60_000, min_tail_turns: 2 });

function needed(session: Session, model = session.manifest.model) {
  const last = lastBuildOf(session.events, session.view);
  const compactions = session.events.filter(({ type }) => /Compact/.test(type));
  return neededEvents(last, compactions, { view: session.view, policyHash: session.policyHash, model });
}

describe('the events a build needs', () => {
  it('are all of them before the first call, and after a change of policy or model', () => {
    const session = sessionUnder(policy).user('the task');
    expect(needed(session)).toEqual({ fromSeq: 1, alsoSeqs: [], isAnew: true });
    session.turn('hello').turn('hello');
    expect(needed(session, testModel({ windowTokens: 5 }))).toEqual({ fromSeq: 1, alsoSeqs: [], isAnew: true });
  });

  it('begin behind what is summarised, and name the pinned task and the summary (row Z9)', () => {
    const session = sessionUnder(policy).user('the task');
    for (let n = 0; n < 60; n += 1) session.turn(`step ${n} ${'because of this and that '.repeat(30)}`);
    const { fromSeq, alsoSeqs, isAnew } = needed(session);
    expect(isAnew).toBe(false);
    expect(fromSeq).toBeGreaterThan(100);
    const summary = session.events.findLast(({ type }) => type === 'ContextCompacted');
    expect(alsoSeqs).toEqual([1, summary?.seq]);
    expect(session.events.length - fromSeq).toBeLessThan(40);
  });

  it('begin behind a range that the last build had left out, when that was asked for under another policy (law C11)', () => {
    const forgetful = windowPolicy({ observation_window: 0, forget_after_turns: 0, mask_batch_turns: 1 });
    const session = sessionUnder(forgetful).user('the task');
    for (let n = 0; n < 6; n += 1) session.turn(`step ${n} ${'because of this and that '.repeat(30)}`);
    const end = session.events.filter(({ type }) => type === 'LlmCallCompleted').at(2)?.seq ?? 0;
    const shown = needed(session).fromSeq;
    expect(shown).toBeGreaterThan(end + 1);
    session.requested({
      range: [1, end],
      entries: [1, 4],
      supersedes: null,
      reason: 'hard_cap',
      viewRunId: null,
      cutoffSeq: 0,
      maxSummaryChars: 500,
      charsBefore: 2_000,
      projectedChars: 1_000,
    });
    expect(needed(session).fromSeq).toBe(end + 1);
    session.started(session.ready());
    expect(needed(session).fromSeq).toBeGreaterThanOrEqual(shown);
  });
});
