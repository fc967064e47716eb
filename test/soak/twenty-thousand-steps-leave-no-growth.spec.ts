import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Deployment } from '../chaos/support/deployment.js';
import { allowLocal, clerkScript, order, session, sessionScript } from '../chaos/support/pipelines.js';
import { scenario } from '../chaos/support/scenario.js';
import { expectSoundRows } from '../chaos/support/soundness.js';
import { ToolServer } from '../chaos/support/tool-server.js';
import { INSPECTED, liveHeapOf } from './live-heap.js';

const STEPS = Number(process.env['WEIR_SOAK_STEPS'] ?? 20_000);
const SESSION_EVERY = 100;
const AT_ONCE = 40;
const SAMPLES = 20;
/** The first part warms up: caches fill, code is compiled, the heap finds its size. */
const WARM_UP = 0.4;
/** Of memory, from the first third behind the warm-up to the last. */
const MOST_GROWTH = 1.15;

type Sample = { steps: number; seconds: number; [measure: string]: number };

const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);

/** Resident memory of a process, in bytes. */
function memoryOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

async function sample(
  { apis, workers, compactors, database }: Deployment,
  redis: Redis,
  began: number,
): Promise<Sample> {
  const [row] = await database.sql<{ steps: number; connections: number }[]>`
    select (select count(*)::int from step_run where ended_at is not null) as steps,
      (select count(*)::int from pg_stat_activity where application_name like 'weir-%') as connections`;
  const info = await redis.info();
  const ofInfo = (name: string): number => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
  const apps = [...apis, ...workers, ...compactors];
  const heaps = await Promise.all(apps.map((app) => liveHeapOf(app.logFile)));
  const named = apps.flatMap((app, n) => [
    [`${app.name} heap MB`, megabytes(heaps[n] ?? 0)],
    [`${app.name} MB`, megabytes(memoryOf(app.pid))],
  ]);
  return {
    steps: row?.steps ?? 0,
    seconds: Math.round((performance.now() - began) / 1000),
    ...Object.fromEntries(named),
    'Postgres connections': row?.connections ?? 0,
    'Redis clients': ofInfo('connected_clients'),
    'Redis keys': await redis.dbsize(),
    'Redis MB': Math.round(ofInfo('used_memory') / 1024 / 102.4) / 10,
  };
}

function table(samples: readonly Sample[]): string {
  const columns = Object.keys(samples[0] ?? {});
  const row = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`;
  return [
    row(columns),
    row(columns.map(() => '---:')),
    ...samples.map((one) => row(columns.map((name) => one[name]))),
  ].join('\n');
}

const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;

/** How a measure grew from the first third of the samples to the last. */
function growthOf(samples: readonly Sample[], measure: string): number {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const values = samples.map((one) => one[measure] ?? 0);
  return mean(values.slice(-third)) / mean(values.slice(0, third));
}

scenario(`${STEPS} steps leave no growth of memory, connections or Redis`, {
  timeoutMs: 3 * 3_600_000,
  deployment: {
    workers: 2,
    compactors: 1,
    operatorFile: allowLocal,
    environment: { NODE_OPTIONS: INSPECTED, WEIR_LEASE_S: '45', WEIR_HEARTBEAT_S: '10', WEIR_SWEEP_S: '5' },
  },
  run: async ({ deployment, tell }) => {
    const { sql } = deployment.database;
    const tools = await ToolServer.open(() => 1);
    deployment.script('clerk', clerkScript(5));
    deployment.script('session', sessionScript(5));
    await deployment.apply(order(tools));
    await deployment.apply(session(tools));
    const redis = new Redis(deployment.redis.url);
    const began = performance.now();
    let started = 0;
    let isEnough = false;
    const client = async (): Promise<void> => {
      while (!isEnough) {
        started += 1;
        const name = started % SESSION_EVERY === 0 ? 'session' : 'order';
        const inputs = { n: started };
        const answer = await deployment.ask('POST', `/v1/pipelines/${name}/runs`, { inputs }, { prefer: 'wait=60' });
        if (answer.status !== 200) await deployment.ended([(answer.body as { id: string }).id]);
      }
    };
    const samples: Sample[] = [];
    const sampling = async (): Promise<void> => {
      for (let next = STEPS / SAMPLES; next <= STEPS;) {
        const [row] = await sql<
          { steps: number }[]
        >`select count(*)::int as steps from step_run where ended_at is not null`;
        if ((row?.steps ?? 0) >= next) {
          const one = await sample(deployment, redis, began);
          samples.push(one);
          tell(JSON.stringify(one));
          next = (samples.length + 1) * (STEPS / SAMPLES);
        }
        tools.requests.length = 0;
        await delay(1_000);
      }
      isEnough = true;
    };
    await Promise.all([sampling(), ...Array.from({ length: AT_ONCE }, client)]);
    const text = table(samples);
    tell(`\n${text}`);
    const report = process.env['WEIR_SOAK_REPORT'];
    if (report !== undefined) writeFileSync(report, `${text}\n`);
    const [failed] = await sql<{ runs: number }[]>`select count(*)::int as runs from run where status <> 'succeeded'`;
    expect(failed?.runs).toBe(0);
    await expectSoundRows(deployment);
    const settled = samples.slice(Math.floor(samples.length * WARM_UP));
    const measures = Object.keys(settled[0] ?? {}).filter((name) => !['steps', 'seconds', 'Redis keys'].includes(name));
    const grown = measures.flatMap((name) =>
      growthOf(settled, name) > MOST_GROWTH ? [`${name}: ${growthOf(settled, name).toFixed(2)}`] : [],
    );
    expect(grown).toEqual([]);
    await redis.quit();
    await tools.close();
  },
});
