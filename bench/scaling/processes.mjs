// How throughput goes with the number of processes, and with what waits: the real processes of the build.
//   node --import ../../test/support/typescript-loader.mjs processes.mjs      (from this folder; the servers of bench/peers/up.sh)
// drain: 2,000 chains of 5 steps wait, then 1, 2, 4 workers start. queued: the same with 10,000 runs of one step and one worker.
// api: 50 clients start runs at 1 and at 2 API processes, no worker. Settings by environment: REPEAT, SCALE.
import { CLIENTS, STEPS, now, r2, sleep } from '../peers/lib/basics.mjs';
import { emit, Meter } from '../peers/lib/meter.mjs';
import { composed, prepare, startProcess, starter } from '../peers/lib/weir-app.mjs';
import { CHAIN, ONE } from '../peers/weir-pipelines.mjs';
import { shoot, startOf } from '../http/shoot.mjs';

const scale = Number(process.env.SCALE ?? 1);
const meter = await new Meter().open();
for (let n = 0; n < Number(process.env.REPEAT ?? 1); n++) {
  for (const workers of [1, 2, 4]) await drain('drain', 'chain', STEPS, Math.round(2000 * scale), workers);
  await drain('queued', 'one', 1, Math.round(10_000 * scale), 1);
  for (const apis of [1, 2]) await startOver(apis, Math.max(8 * CLIENTS, Math.round(2000 * scale)));
}
await meter.close();
process.exit(0);

/** Starts runs without a worker, then workers, and waits until all have ended. */
async function drain(w, pipeline, steps, runs, workers) {
  await prepare([CHAIN, ONE]);
  const { runtime, close } = await composed();
  const start = await starter(runtime.engine);
  const t0 = now();
  await inParallel(CLIENTS, runs, () => start(pipeline, { id: 'waits' }));
  const accepted = now();
  const started = [];
  const work = async () => {
    started.push(...(await Promise.all(Array.from({ length: workers }, () => startProcess('worker')))));
    return endOfAll(runtime.database, runs);
  };
  const { result: ended, ...cost } = await meter.measured(runs * steps, async () => 0, work);
  const cpu = started.reduce((sum, worker) => sum + worker.cpuMs(), 0);
  const memory = started.map((worker) => worker.memory().peak);
  for (const worker of started) await worker.stop();
  await close();
  emit({
    ...{ peer: 'weir', variant: 'processes', w, workers, n: runs, accepted_s: r2((runs * 1000) / (accepted - t0)) },
    steps_s: r2((runs * steps) / ended.seconds),
    first_half_s: r2((runs * steps) / 2 / ended.firstHalf),
    second_half_s: r2((runs * steps) / 2 / ended.secondHalf),
    ...{ worker_cpu_ms: r2(cpu / (runs * steps)), worker_peak_mb: Math.max(...memory) },
    ...cost,
  });
}

/** By the database's clock: from the first step's start to the last run's end, in seconds. */
async function endOfAll(database, runs) {
  for (;;) {
    const [row] = await database.run(
      (sql) => sql`select count(*)::int as n, (select min(started_at) from step_run) as first, max(ended_at) as last,
        percentile_disc(0.5) within group (order by ended_at) as middle from run where status = 'succeeded'`,
    );
    if (row.n < runs) {
      await sleep(200);
      continue;
    }
    const [first, middle, last] = [row.first, row.middle, row.last].map((at) => Date.parse(at) / 1000);
    return { seconds: last - first, firstHalf: middle - first, secondHalf: last - middle };
  }
}

async function startOver(apis, runs) {
  const token = await prepare([CHAIN]);
  const processes = await Promise.all(Array.from({ length: apis }, () => startProcess('api')));
  const request = { ...startOf(token), connections: CLIENTS / apis };
  await Promise.all(processes.map((api) => shoot(api, Math.round(runs / 4), request)));
  const t0 = now();
  const results = await Promise.all(processes.map((api) => shoot(api, Math.round(runs / apis), request)));
  const seconds = (now() - t0) / 1000;
  for (const api of processes) await api.stop();
  emit({
    ...{ peer: 'weir', variant: 'processes', w: 'api', apis, n: runs, accepted_s: r2(runs / seconds) },
    p50_ms: Math.max(...results.map((one) => one.p50_ms)),
    p99_ms: Math.max(...results.map((one) => one.p99_ms)),
    api_cpu_ms: r2(results.reduce((sum, one) => sum + one.cpu_ms, 0) / apis),
  });
}

async function inParallel(clients, n, work) {
  let left = n;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left-- > 0) await work();
    }),
  );
}
