/**
 * How many cases a law is tried on: `usual` in `npm test`, twenty times as many in `npm run test:laws`, and what
 * `WEIR_LAW_RUNS` says where it is set (`--runs N`).
 */
export function lawRuns(usual: number): number {
  const asked = Number(process.env.WEIR_LAW_RUNS ?? Number.NaN);
  if (Number.isInteger(asked) && asked > 0) return asked;
  return process.env.WEIR_LAWS === 'long' ? usual * 20 : usual;
}
