import { effectivePolicy } from './policy/index.js';
import { sessionUnder, testModel, windowPolicy, type Session } from './testing/session.js';

const out = 'line of output\n'.repeat(200);

/** mask_to of each build of a session of `turns` turns, as a number of masked turns. */
function boundaries(session: Session, turns: number): number[] {
  const seen: number[] = [];
  session.user('go');
  for (let turn = 0; turn < turns; turn += 1) {
    const { frontier } = session.ready();
    seen.push(
      session.events.filter(({ type, entry }) => type === 'LlmCallCompleted' && (entry ?? 0) <= frontier.mask_to)
        .length,
    );
    session.turn('', [out]);
  }
  return seen;
}

describe('the frontier', () => {
  it('moves in steps of n turns and leaves at least the window whole', () => {
    const session = sessionUnder(windowPolicy({ observation_window: 2, mask_batch_turns: 3 }));
    expect(boundaries(session, 10)).toEqual([0, 0, 0, 0, 0, 3, 3, 3, 6, 6]);
  });

  it('slides with each turn when n is 1, and with auto where nothing is cached', () => {
    expect(boundaries(sessionUnder(windowPolicy({ observation_window: 2, mask_batch_turns: 1 })), 6)).toEqual([
      0, 0, 0, 1, 2, 3,
    ]);
    expect(boundaries(sessionUnder(windowPolicy({ observation_window: 2 }), { promptCaching: false }), 6)).toEqual([
      0, 0, 0, 1, 2, 3,
    ]);
  });

  it('stays with auto until a rewrite pays, then moves to the sliding place (rows 117, 119, 121)', () => {
    const seen = boundaries(sessionUnder(windowPolicy({ observation_window: 2 })), 30);
    const moves = seen.filter((place, call) => place !== seen[call - 1]);
    expect(moves.length).toBeGreaterThan(1);
    expect(moves.length).toBeLessThan(8);
    seen.forEach((place, call) => expect([seen[call - 1] ?? 0, Math.max(0, call - 2)]).toContain(place));
  });

  it('does not move with auto before enough was read in vain, which is recorded and begins anew with each move', () => {
    const session = sessionUnder(windowPolicy({ observation_window: 2 })).user('go');
    const seen: { place: number; stale: number }[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      const { frontier, report } = session.ready();
      const base = report['base'];
      const stale =
        typeof base === 'object' && base !== null && 'stale_chars' in base ? Number(base['stale_chars']) : -1;
      seen.push({ place: frontier.mask_to, stale });
      session.turn('', [out]);
    }
    const moves = seen.flatMap(({ place }, call) => (call > 0 && place !== seen[call - 1]?.place ? [call] : []));
    expect(moves.length).toBeGreaterThan(1);
    seen.forEach(({ stale }, call) => {
      if (moves.includes(call)) expect([seen[call - 1]?.stale === 0, stale]).toEqual([false, 0]);
      else expect(stale).toBeGreaterThanOrEqual(seen[call - 1]?.stale ?? 0);
    });
    // Written at 1.25 and read at 0.1: a move costs 1.15 × what stands behind it and was sent, one result at least.
    for (const call of moves) expect(0.1 * (seen[call - 1]?.stale ?? 0)).toBeGreaterThan(0.7 * 1.15 * out.length);
  });

  it('moves with auto before the request passes the soft cap: masking comes before summarising', () => {
    const session = sessionUnder(
      windowPolicy({ observation_window: 1, soft_cap_chars: 9_500, hard_cap_chars: 20_000 }),
      { cacheWriteRatio: 1_000 },
    ).user('go');
    session.turn('', [out]).turn('', [out]).turn('', [out]);
    expect(session.ready().frontier.mask_to).toBe(0);
    session.turn('', [out]);
    const build = session.ready();
    expect(build.frontier.mask_to).toBe(6);
    expect(session.events.some(({ type }) => type === 'CompactionRequested')).toBe(false);
  });

  it('is made anew when the policy or the model facts change, and goes on otherwise', () => {
    const session = sessionUnder(windowPolicy({ observation_window: 1, mask_batch_turns: 1 })).user('go');
    session.turn('', [out]).turn('', [out]).turn('', [out]);
    const before = session.ready();
    expect(before.frontier.mask_to).toBe(4);
    session.started(before);
    session.follow(windowPolicy({ observation_window: 9, mask_batch_turns: 1 }), session.manifest.model);
    expect(session.ready().frontier.mask_to).toBe(0);
    session.follow(
      windowPolicy({ observation_window: 1, mask_batch_turns: 1 }),
      testModel({ windowTokens: 1_000_000 }),
    );
    expect(session.ready().frontier.mask_to).toBe(4);
  });

  it('drops older reasoning only when it moves, and that of the current exchange never (rows 110, 112)', () => {
    const session = sessionUnder(windowPolicy({ observation_window: 1, mask_batch_turns: 3 }), {
      apiFormat: 'anthropic_thinking',
    });
    session.user('one').turn('', [out], { thinking: 'first thought' }).turn('done', [], { thinking: 'second thought' });
    session.user('two', 'user');
    const thoughts = (): number => JSON.stringify(session.ready().request).split('thought').length - 1;
    expect(thoughts()).toBe(2);
    session.turn('', [out], { thinking: 'third thought' }).turn('', [out], { thinking: 'fourth thought' });
    expect(session.ready().frontier.mask_to).toBeGreaterThan(0);
    expect(thoughts()).toBe(2);
    expect(JSON.stringify(session.ready().request)).toContain('fourth thought');
  });

  it('tells how much of a request was sent before', () => {
    const session = sessionUnder(windowPolicy({})).user('go');
    const first = session.ready();
    expect(first.report).toMatchObject({ common_prefix_chars: 0, cached_tokens: { predicted: 0 } });
    session.turn('', [out]);
    expect(session.ready().report['common_prefix_chars']).toBe(first.chars);
  });

  it('stays where it is without a window', () => {
    expect(boundaries(sessionUnder(effectivePolicy({ step: { window: 'off' } }, false)), 5)).toEqual([0, 0, 0, 0, 0]);
  });
});
