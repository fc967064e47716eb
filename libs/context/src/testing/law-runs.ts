/** Streams of the context's laws in `npm test`; what `--runs` is measured against. */
export const USUAL_STREAMS = 20_000;

/**
 * How many cases a law is tried on: `usual` in `npm test`, twenty times as many in `npm run test:laws`. `--runs N`
 * (`WEIR_LAW_RUNS`) is the number of the context's streams; other laws get more or fewer cases in proportion.
 */
export function lawRuns(usual: number): number {
  const asked = Number(process.env.WEIR_LAW_RUNS ?? Number.NaN);
  if (Number.isInteger(asked) && asked > 0) return Math.ceil((usual * asked) / USUAL_STREAMS);
  return process.env.WEIR_LAWS === 'long' ? usual * 20 : usual;
}
