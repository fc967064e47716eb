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
    expect(needed(session)).toEqual({ fromSeq: 1, alsoSeqs: [] });
    session.turn('hello').turn('hello');
    expect(needed(session, testModel({ windowTokens: 5 }))).toEqual({ fromSeq: 1, alsoSeqs: [] });
  });

  it('begin behind what is summarised, and name the pinned task and the summary (row Z9)', () => {
    const session = sessionUnder(policy).user('the task');
    for (let n = 0; n < 60; n += 1) session.turn(`step ${n} ${'because of this and that '.repeat(30)}`);
    const { fromSeq, alsoSeqs } = needed(session);
    expect(fromSeq).toBeGreaterThan(100);
    const summary = session.events.findLast(({ type }) => type === 'ContextCompacted');
    expect(alsoSeqs).toEqual([1, summary?.seq]);
    expect(session.events.length - fromSeq).toBeLessThan(40);
  });
});
