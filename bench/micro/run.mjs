// The hot paths one by one, each beside something comparable done bare: milliseconds an operation, one after the other.
//   node --import ../../test/support/typescript-loader.mjs run.mjs      (from this folder; the servers of bench/peers/up.sh)
// Settings by environment: SCALE (of 300 rounds), REPEAT.
import { now, q } from '../peers/lib/basics.mjs';
import { emit } from '../peers/lib/meter.mjs';
import { prepare } from '../peers/lib/weir-app.mjs';
import { CHAIN, ONE } from '../peers/weir-pipelines.mjs';
import { pureCases } from './pure-cases.mjs';
import { storedCases } from './stored-cases.mjs';

const rounds = Math.max(40, Math.round(300 * Number(process.env.SCALE ?? 1)));
const digits = (value) => Number(value.toPrecision(3));

for (let n = 0; n < Number(process.env.REPEAT ?? 1); n++) {
  await prepare([CHAIN, ONE]);
  const { cases, close } = await storedCases();
  for (const one of [...cases, ...(await pureCases())])
    emit({ peer: 'weir', variant: 'micro', ...(await measure(one)) });
  await close();
}
process.exit(0);

/** A third of the rounds again comes first, so that code is compiled and statements are planned. */
async function measure({ name, bare, make = (n) => n, run, runBare }) {
  const times = { run: [], bare: [] };
  for (let n = -Math.round(rounds / 3); n < rounds; n++) {
    const prepared = await make(n + rounds);
    const ms = await timed(() => run(prepared));
    const bareMs = await timed(() => runBare(prepared));
    if (n < 0) continue;
    times.run.push(ms);
    times.bare.push(bareMs);
  }
  const [ms, bareMs] = [q(times.run, 0.5), q(times.bare, 0.5)];
  return {
    ...{ w: name, n: rounds, ms: digits(ms), p99_ms: digits(q(times.run, 0.99)) },
    ...{ bare, bare_ms: digits(bareMs), by_bare: digits(ms / bareMs) },
  };
}

async function timed(work) {
  const t0 = now();
  await work();
  return now() - t0;
}
