export type Random = {
  /** 0 to below 1. */
  readonly next: () => number;
  /** A whole number from `low` to `high`, both included. */
  readonly between: (low: number, high: number) => number;
  /** @throws RangeError when there is nothing to pick from. */
  readonly pick: <T>(list: readonly T[]) => T;
};

/** The same numbers for the same seed: mulberry32, by Tommy Ettinger. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    pick: (list) => {
      const picked = list[between(0, list.length - 1)];
      if (picked === undefined) throw new RangeError('expected a list with something in it');
      return picked;
    },
  };
}

/** `WEIR_CHAOS_SEED`, else another one each time. */
export function chaosSeed(): number {
  const given = process.env['WEIR_CHAOS_SEED'];
  if (given === undefined || given === '') return Math.floor(Math.random() * 2 ** 31);
  if (!/^\d{1,10}$/.test(given)) throw new Error(`WEIR_CHAOS_SEED: expected a whole number, found ${given}`);
  return Number(given);
}
