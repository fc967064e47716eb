// The context of a long conversation, rebuilt by a worker that knows nothing of it and by one that led it, beside a bare SELECT of
// the events that the request shows and JSON.parse of each. "Shown" is whole, masked or as a summary; the SELECT gets the stored
// body of each by its seq, in one round trip, and is told the seqs, which the cold side finds out (one read, each body checked
// against its schema; of results that are masked it reads all but the content, which the SELECT reads too). Both sides: the same
// pool, prepared statements, fresh statistics, no caches between rounds but those of Postgres and of the compiler. Cold ends with
// the canonical JSON (a text for each message, as the hash takes them) and its counts of chars and tokens. A worker lives long,
// whatever it knows of this conversation: so 300 rounds of both sides, in turns as those that are measured, go before and do not
// count. Without them it is compilers that are compared.
//   node --import ../../test/support/typescript-loader.mjs rebuild.mjs      (from this folder; the servers of bench/peers/up.sh)
// One run of tool calls of about 1,400 chars a turn, soft cap 60,000 chars. Cold: from the first query to the canonical JSON of
// the request. Warm: taking in the events of a turn and building. One after the other, 40 times; medians, and means of this process'
// CPU (its collector's threads included), which move less with the load of the machine. REPEAT: how often.
import { freshDb, now, q, r2 } from '../peers/lib/basics.mjs';
import { emit } from '../peers/lib/meter.mjs';
import { sources } from '../peers/lib/weir-app.mjs';

const WARM_UP = 300;
const ROUNDS = 40;
const { CAPS, playRun, buildFrom } = await sources('bench/context/build-time/measure.ts');
const { BenchStore } = await sources('bench/context/build-time/store.ts');
const { migrate } = await sources('libs/event-store/src/index.ts');

for (let n = 0; n < Number(process.env.REPEAT ?? 1); n++) {
  const url = await freshDb('bench_rebuild');
  await migrate(url);
  const store = await BenchStore.over(url);
  const caps = { ...CAPS[0], lengths: [1_000, 10_000] };
  await playRun(
    caps,
    (events) => store.add(events),
    async (measured, play, log) => {
      emit({ peer: 'weir', variant: 'context', w: 'rebuild', ...(await compare(store, measured, play, log.length)) });
    },
  );
  await store.close();
}
process.exit(0);

async function compare(store, measured, play, uptoSeq) {
  await store.analyze();
  const shown = await shownSeqs(store, play, uptoSeq);
  const cold = [];
  const raw = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const runs = [
      await timed(async () => buildFrom(play, await store.cold(play, uptoSeq), uptoSeq).canonical),
      await timed(() => store.raw(shown)),
    ];
    if (round < WARM_UP) continue;
    cold.push(runs[0]);
    raw.push(runs[1]);
  }
  const ms = (runs) =>
    q(
      runs.map((run) => run.ms),
      0.5,
    );
  const cpuMs = (runs) => r2(runs.reduce((sum, run) => sum + run.cpuMs, 0) / runs.length);
  return {
    n: measured.events,
    shown: shown.length,
    cold_ms: r2(ms(cold)),
    warm_ms: r2(measured.cpuMs.p50),
    raw_ms: r2(ms(raw)),
    cold_cpu_ms: cpuMs(cold),
    raw_cpu_ms: cpuMs(raw),
    cold_by_raw: r2(ms(cold) / ms(raw)),
    warm_by_raw: r2(measured.cpuMs.p50 / ms(raw)),
  };
}

/** Seqs of what the next request shows, whole, masked or as a summary. */
async function shownSeqs(store, play, uptoSeq) {
  const kept = await store.cold(play, uptoSeq);
  const { messages } = buildFrom(play, kept, uptoSeq);
  const entries = new Set(messages.flatMap((message) => message.entries));
  return kept.events
    .filter((event) => entries.has(event.entry) || event.type === 'ContextCompacted')
    .map(({ seq }) => seq);
}

async function timed(work) {
  const t0 = now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: now() - t0, cpuMs: (user + system) / 1000 };
}
