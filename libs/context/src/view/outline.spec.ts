import { sessionUnder, windowPolicy, type Session } from '../testing/session.js';
import { KeptEvents } from './kept-events.js';
import { isOutlineEnough, outlineOf } from './outline.js';
import { lastBuildOf } from './read-view.js';

const policy = windowPolicy({ observation_window: 1, mask_batch_turns: 1 });

/** Three turns, the first two masked by the last call. */
function masked(): Session {
  const session = sessionUnder(policy).user('go');
  for (const result of ['first\n', 'second\n', 'third\n']) session.turn('', [result.repeat(200)]);
  return session.started(session.ready());
}

/** What a worker has that read outlines where they are enough. */
function outlined({ events, view }: Session): KeptEvents {
  const last = lastBuildOf(events, view);
  if (last === null) throw new Error('no call');
  const read = events.map((event) => (isOutlineEnough(event, last) ? outlineOf(event) : event));
  return new KeptEvents(view, { events: read, fromSeq: 1, uptoSeq: events.length, hasAllCompactions: true });
}

const next = ({ view, policyHash, manifest }: Session) => ({ view, policyHash, model: manifest.model });

describe('outlines of results', () => {
  it('are enough for the builds that go on from the call that masked them', () => {
    const session = masked();
    const kept = outlined(session);
    // The boundary is the last answer that is masked; the result behind it is read whole.
    expect(kept.events.filter(({ isOutline }) => isOutline === true).map(({ entry }) => entry)).toEqual([3]);
    expect(kept.covers(next(session))).toBe(true);
    expect(session.build('managed', kept.events)).toEqual(session.build());
  });

  it('are not where the frontier begins anew: what was masked is shown', () => {
    const session = masked();
    const kept = outlined(session);
    session.follow(windowPolicy({ observation_window: 9 }), session.manifest.model);
    expect(kept.covers(next(session))).toBe(false);
    expect(() => session.build('managed', kept.events)).toThrow('the content of #3 was not read');
  });
});
