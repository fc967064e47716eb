import fc from 'fast-check';
import { API_FORMATS, type ApiFormat } from '../neutral.js';
import { lawRuns } from './law-runs.js';
import { checkLaws } from './laws.js';
import { randomPlan } from './random-plan.js';

/** Streams in one run of the suite, all formats together; `npm run test:laws -- --runs N` sets another number. */
const STREAMS = lawRuns(20_000);
const SEED = Number(process.env.WEIR_LAW_SEED ?? Date.now() % 2 ** 31);

/** The laws of the context over random sessions in one format. A failure names its seed; WEIR_LAW_SEED repeats it. */
export function assertLaws(format: ApiFormat): void {
  const numRuns = Math.ceil(STREAMS / API_FORMATS.length);
  process.stderr.write(`laws ${format}: ${numRuns} streams, WEIR_LAW_SEED=${SEED}\n`);
  fc.assert(fc.property(randomPlan(format), checkLaws), { numRuns, seed: SEED });
}

/** Long runs have no bound of time: about 6 ms a stream. */
export const LAW_TIMEOUT_MS = 60_000 + STREAMS * 20;
