import { breakerState, mayAskModels } from './model-breaker.js';

const after = (inARow: number) => ({ inARow, lastTo: inARow === 0 ? null : 9 });

describe('the breaker of paid summaries', () => {
  it('is closed without failures, backs off after one, and is open from three on', () => {
    expect([0, 1, 2, 3, 7].map((inARow) => breakerState(after(inARow)))).toEqual([
      'closed',
      'backing_off',
      'backing_off',
      'open',
      'open',
    ]);
  });

  it('asks again only when the range has grown by a window, doubled with each failure and at most sixteenfold', () => {
    const least = (inARow: number, before: number): number => {
      for (let now = before; ; now += 1) if (mayAskModels(after(inARow), { before, now })) return now - before;
    };
    expect(least(0, 10)).toBe(0);
    expect([1, 2, 3, 4, 5, 6, 60].map((inARow) => least(inARow, 10))).toEqual([4, 8, 16, 32, 64, 64, 64]);
    expect(least(1, 100)).toBe(25);
  });

  it('allows at most one request with a call per window, however many requests there are', () => {
    let failures = { inARow: 0, lastTo: null as number | null };
    let before = 0;
    const asked: number[] = [];
    for (let turns = 1; turns <= 1_000; turns += 1) {
      if (!mayAskModels(failures, { before, now: turns })) continue;
      asked.push(turns);
      failures = { inARow: failures.inARow + 1, lastTo: turns };
      before = turns;
    }
    expect(asked).toEqual([1, 5, 13, 29, 93, 477]);
  });
});
