import fc from 'fast-check';
import { API_FORMATS, type ApiFormat } from '../neutral.js';
import { lawRuns, USUAL_STREAMS } from './law-runs.js';
import { checkLaws } from './laws.js';
import { randomPlan } from './random-plan.js';

/** Streams in one run of the suite, all formats together; `npm run test:laws -- --runs N` sets another number. */
const STREAMS = lawRuns(USUAL_STREAMS);
/** `npm test` says the same of a commit each time; `npm run test:laws` draws other streams each time. */
const USUAL_SEED = 20_261_130;
const isLongRun = process.env.WEIR_LAW_RUNS !== undefined;
const GIVEN_SEED = process.env.WEIR_LAW_SEED ?? (isLongRun ? String(Date.now() % 2 ** 31) : undefined);
const BATCH = 1_000;
const PROGRESS_EVERY_MS = 15_000;

/**
 * The laws of the context over random sessions in one format, in batches of a thousand, batch n with seed + n: a failure
 * names the seed of its batch, and `WEIR_LAW_SEED` with that begins there. Says how far it is and how long it took.
 */
export async function playLaws(format: ApiFormat): Promise<void> {
  const total = Math.ceil(STREAMS / API_FORMATS.length);
  const begun = performance.now();
  let told = begun;
  const seed = Number(GIVEN_SEED ?? USUAL_SEED + BATCH * API_FORMATS.indexOf(format));
  say(`laws ${format}: ${total} streams, WEIR_LAW_SEED=${seed}`);
  for (let done = 0, batch = 0; done < total; batch += 1) {
    const numRuns = Math.min(BATCH, total - done);
    fc.assert(fc.property(randomPlan(format), checkLaws), { numRuns, seed: seed + batch });
    done += numRuns;
    const now = performance.now();
    if (done < total && now - told < PROGRESS_EVERY_MS) continue;
    told = now;
    const seconds = (now - begun) / 1_000;
    say(
      `laws ${format}: ${done} of ${total} streams in ${seconds.toFixed(1)} s, ${(done / seconds).toFixed(0)} a second`,
    );
    // Lets the line out.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const say = (line: string): boolean => process.stderr.write(`${line}\n`);
