// What a system costs that has nothing to do, and what memory its processes take: api, worker and compactor of the build.
//   node --import ../../test/support/typescript-loader.mjs idle.mjs      (from this folder; the servers of bench/peers/up.sh)
// idle: 30 s after 10 s of rest. load: chains by 50 clients over HTTP until 3,000 have ended, then again at rest after 10 s.
// Settings by environment: IDLE_S, SCALE.
import { Meter, emit } from '../peers/lib/meter.mjs';
import { CLIENTS, r2, sleep } from '../peers/lib/basics.mjs';
import { prepare, startProcess } from '../peers/lib/weir-app.mjs';
import { CHAIN } from '../peers/weir-pipelines.mjs';
import { shoot, startOf } from '../http/shoot.mjs';
import { untilDone } from '../http/until-done.mjs';

const IDLE_S = Number(process.env.IDLE_S ?? 30);
const REST_MS = 10_000;
const RUNS = Math.max(8 * CLIENTS, Math.round(3000 * Number(process.env.SCALE ?? 1)));

const token = await prepare([CHAIN]);
const processes = {};
for (const app of ['api', 'worker', 'compactor']) processes[app] = await startProcess(app);
const meter = await new Meter().open();
const each = (read) => Object.fromEntries(Object.entries(processes).map(([app, one]) => [app, read(one, app)]));

await sleep(REST_MS);
const before = each((one) => one.cpuMs());
const { wall_ms, ...cost } = await meter.measured(
  1,
  async () => 0,
  () => sleep(IDLE_S * 1000),
);
const seconds = wall_ms / 1000;
report('idle', {
  seconds: r2(seconds),
  cpu_ms_per_s: each((one, app) => r2((one.cpuMs() - before[app]) / seconds)),
  pg_cpu_ms_per_s: r2(cost.cpu_ms_per_unit.pg / seconds),
  redis_cpu_ms_per_s: r2(cost.cpu_ms_per_unit.redis / seconds),
  // The counters were read over two seconds and a half more than the CPU.
  transactions_per_s: r2(cost.commits_per_unit / (seconds + 2.6)),
  fsyncs_per_s: r2(cost.fsyncs_per_unit / (seconds + 2.6)),
  wal_bytes_per_s: r2(cost.wal_bytes_per_unit / seconds),
  redis_commands_per_s: r2(cost.redis_commands_per_unit / seconds),
  redis_scripts_per_s: r2(cost.redis_scripts_per_unit / seconds),
  rss_mb: each((one) => one.memory().rss),
});
await shoot(processes.api, RUNS, startOf(token));
await untilDone(processes.api, token);
report('load', { n: RUNS, rss_mb: each((one) => one.memory().rss), peak_mb: each((one) => one.memory().peak) });
await sleep(REST_MS);
report('rest', { rss_mb: each((one) => one.memory().rss) });

for (const one of Object.values(processes)) await one.stop();
await meter.close();
process.exit(0);

function report(w, measured) {
  emit({ peer: 'weir', variant: 'idle', w, ...measured });
}
