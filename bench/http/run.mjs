// What clients see over HTTP: the real API and a real worker, processes of the build, under load of autocannon.
//   node --import ../../test/support/typescript-loader.mjs run.mjs      (from this folder; the servers of bench/peers/up.sh)
// start: 50 clients start chains of 5 steps, the worker executes them meanwhile. get, list: 50 clients, after that. sse: 50 readers
// follow a run each from its start. Settings by environment: REPEAT, SCALE.
import { CLIENTS, now, q, r2 } from '../peers/lib/basics.mjs';
import { emit } from '../peers/lib/meter.mjs';
import { prepare, sources, startProcess } from '../peers/lib/weir-app.mjs';
import { CHAIN } from '../peers/weir-pipelines.mjs';
import { shoot, startOf } from './shoot.mjs';
import { untilDone } from './until-done.mjs';

const scale = Number(process.env.SCALE ?? 1);
const STARTS = Math.max(200, Math.round(2000 * scale));
const READS = Math.max(500, Math.round(5000 * scale));

const token = await prepare([CHAIN]);
const start = startOf(token);
const { headers } = start;

const worker = await startProcess('worker');
const api = await startProcess('api');
const request = async ({ path, ...init }) => {
  const response = await fetch(api.url + path, { headers, ...init });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
};

try {
  await shoot(api, Math.round(STARTS / 4), start);
  await untilDone(api, token);
  for (let n = 0; n < Number(process.env.REPEAT ?? 1); n++) await measure();
} finally {
  await api.stop();
  await worker.stop();
}

async function measure() {
  report('start', await shoot(api, STARTS, start));
  await untilDone(api, token);
  const { id } = await request(start);
  await untilDone(api, token);
  report('get', await shoot(api, READS, { path: `/v1/runs/${id}`, headers }));
  report('list', await shoot(api, READS, { path: '/v1/runs?limit=20', headers }));
  report('sse', await followed(CLIENTS));
}

/** Readers of a stream of events each; what is measured is the time from an event's commit to its reader, in ms. */
async function followed(readers) {
  const { createWeirClient, followRun } = await sources('libs/client/src/index.ts');
  const client = createWeirClient({ url: api.url, apiKey: token });
  const delays = [];
  const t0 = now();
  await Promise.all(
    Array.from({ length: readers }, async () => {
      const { id } = await request(start);
      for await (const news of followRun(client, id))
        if (news.kind === 'event') delays.push(Date.now() - Date.parse(news.event.recorded_at));
    }),
  );
  const wall = now() - t0;
  return {
    n: readers,
    events: delays.length,
    per_s: r2((delays.length * 1000) / wall),
    p50_ms: q(delays, 0.5),
    p99_ms: q(delays, 0.99),
    max_ms: Math.max(...delays),
  };
}

function report(w, measured) {
  emit({ peer: 'weir', variant: 'http', w, ...measured });
}
