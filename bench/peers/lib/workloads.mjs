// The workloads. Each takes `bench`: `run(kind, n)` starts one workflow and waits for its durable end; `measured(units, work)` does
// work and says what it cost, by units.
import { CLIENTS, STEPS, q, r2 } from './basics.mjs';

/** Keeps `clients` workflows under way until `n` have ended. */
async function pool(bench, n, clients) {
  const ended = [];
  let left = n;
  await Promise.all(
    Array.from({ length: Math.min(clients, n) }, async () => {
      while (left-- > 0) ended.push(await bench.run('chain'));
    }),
  );
  return ended;
}

/**
 * Workflows before the first measurement, of every peer alike: services run for days. After 400 of them a third of the CPU of Weir's
 * processes is still V8's compiler (`perf`), and each of six measurements in a row is cheaper than the one before.
 */
const WARM_UP = Number(process.env.WARM_UP ?? 2000);
const WARM_MAPS = WARM_UP / 100;
/** One at a time takes other ways through the code: flights of one, one command a write. The first 500 still compile. */
const WARM_ONE_BY_ONE = WARM_UP / 4;

/** Throughput: chains of 5 steps, 50 clients. */
async function w1(bench) {
  const n = Math.max(50, Math.round(500 * bench.share.W1));
  await bench.once('warm', () => pool(bench, Math.round(WARM_UP * bench.share.W1), CLIENTS));
  const { result, ...cost } = await bench.measured(n * STEPS, () => pool(bench, n, CLIENTS));
  const latencies = result.map(({ lat }) => lat);
  return {
    n,
    steps_s: r2((n * STEPS * 1000) / cost.wall_ms),
    workflows_s: r2((n * 1000) / cost.wall_ms),
    p50_ms: r2(q(latencies, 0.5)),
    p99_ms: r2(q(latencies, 0.99)),
    ...cost,
  };
}

/** Latency: one chain at a time. */
async function w2(bench) {
  const n = Math.max(10, Math.round(100 * bench.share.W2));
  await bench.once('warm one by one', () =>
    oneByOne(Math.max(3, Math.round(WARM_ONE_BY_ONE * bench.share.W2)), () => bench.run('chain')),
  );
  const { result, ...cost } = await bench.measured(n * STEPS, () => oneByOne(n, () => bench.run('chain')));
  const latencies = result.map(({ lat }) => lat);
  const transitions = result.flatMap(({ s }) => s.slice(1).map(([start], i) => start - s[i][1]));
  const starts = result.map(({ s, t0 }) => s[0][0] - t0);
  return {
    n,
    total_p50_ms: r2(q(latencies, 0.5)),
    total_p99_ms: r2(q(latencies, 0.99)),
    step_p50_ms: r2(q(transitions, 0.5)),
    step_p99_ms: r2(q(transitions, 0.99)),
    start_p50_ms: r2(q(starts, 0.5)),
    start_p99_ms: r2(q(starts, 0.99)),
    ...cost,
  };
}

/** A map over 200 items and a join, one at a time. */
const w3 = (bench) => maps(bench, 'fan', bench.share.W3);

/** The same, as many items at once as by default. */
const w3d = (bench) => maps(bench, 'fanByDefault', bench.share.W3d);

async function maps(bench, kind, share) {
  const items = Number(process.env.ITEMS ?? 200);
  const n = Math.max(3, Math.round((2000 * share) / items));
  await bench.once(`warm ${kind}`, () =>
    oneByOne(Math.max(2, Math.round(WARM_MAPS * share)), () => bench.run(kind, items)),
  );
  const { result, ...cost } = await bench.measured(n * items, () => oneByOne(n, () => bench.run(kind, items)));
  const latencies = result.map(({ lat }) => lat);
  return {
    n,
    items,
    items_s: r2((n * items * 1000) / latencies.reduce((a, b) => a + b, 0)),
    p50_ms: r2(q(latencies, 0.5)),
    max_ms: r2(Math.max(...latencies)),
    ...cost,
  };
}

/** One agent of 500 turns; a turn is from one call of the model to the next. */
async function w4(bench) {
  const n = Math.max(50, Math.round(500 * bench.share.W4));
  await bench.once('warm loop', () => bench.run('loop', 50));
  // So that full pages are written for all alike.
  await bench.checkpoint();
  const { result, ...cost } = await bench.measured(n, () => bench.run('loop', n));
  const turns = result.s.slice(1).map(([at], i) => at - result.s[i][0]);
  if (turns.length !== n) throw new Error(`the model was asked ${turns.length + 1} times, expected ${n + 1}`);
  const chars = result.s.map(([, sent]) => sent);
  const tenth = Math.max(1, Math.round(n / 10));
  return {
    n,
    turn_ms: r2(result.lat / n),
    turn_p50_ms: r2(q(turns, 0.5)),
    first_tenth_ms: r2(q(turns.slice(0, tenth), 0.5)),
    last_tenth_ms: r2(q(turns.slice(-tenth), 0.5)),
    wal_bytes: cost.wal_bytes_per_unit * n,
    model_chars: chars.reduce((a, b) => a + b, 0),
    model_max_chars: Math.max(...chars),
    ...cost,
  };
}

async function oneByOne(n, run) {
  const ended = [];
  for (let i = 0; i < n; i++) ended.push(await run());
  return ended;
}

export const WORKLOADS = { W1: w1, W2: w2, W3: w3, W3d: w3d, W4: w4 };
