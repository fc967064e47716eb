// What a measurement costs: CPU of client, worker, Postgres and Redis, transactions, WAL, scripts; and how quiet the machine is.
import { readFileSync, appendFileSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import os from 'node:os';
import pgpkg from 'pg';
import Redis from 'ioredis';
import { STATE, now, pgUrl, r2, redisOpts, sleep } from './basics.mjs';

const HZ = 100;
export function procCpuMs(pid) {
  try {
    const s = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const f = s.slice(s.lastIndexOf(')') + 2).split(' ');
    return ((+f[11] + +f[12]) * 1000) / HZ;
  } catch {
    return 0;
  }
}
function pgCpuMs() {
  // live backends plus the reaped ones (cutime, cstime of the postmaster)
  let pid;
  try {
    pid = Number(readFileSync(`${STATE}/pg.pid`, 'utf8'));
  } catch {
    return 0;
  }
  const s = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const f = s.slice(s.lastIndexOf(')') + 2).split(' ');
  let ms = ((+f[11] + +f[12] + +f[13] + +f[14]) * 1000) / HZ;
  const kids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  for (const k of kids) ms += procCpuMs(k);
  return ms;
}
function redisCpuMs() {
  try {
    return procCpuMs(Number(readFileSync(`${STATE}/redis.pid`, 'utf8')));
  } catch {
    return 0;
  }
}
function machine() {
  const f = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/\s+/).slice(1).map(Number);
  const idle = f[3] + f[4];
  const tot = f.slice(0, 8).reduce((a, b) => a + b, 0);
  return { idle, tot, steal: f[7] };
}
export class Meter {
  async open() {
    this.pg = new pgpkg.Client(pgUrl());
    await this.pg.connect();
    this.redis = new Redis(redisOpts);
    return this;
  }
  async snap(workerCpu = async () => 0) {
    const { rows } = await this.pg.query(
      `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal,
       (select sum(xact_commit) from pg_stat_database) as commits, (select wal_sync from pg_stat_wal) as syncs`,
    );
    const info = await this.redis.info('all');
    const num = (re) => Number((info.match(re) ?? [0, 0])[1]);
    const ev = [...info.matchAll(/cmdstat_(?:evalsha|eval):calls=(\d+)/g)].reduce((a, m) => a + Number(m[1]), 0);
    const c = process.cpuUsage();
    return {
      t: now(),
      wal: Number(rows[0].wal),
      commits: Number(rows[0].commits),
      syncs: Number(rows[0].syncs),
      redisCmds: num(/total_commands_processed:(\d+)/),
      redisIn: num(/total_net_input_bytes:(\d+)/),
      redisOut: num(/total_net_output_bytes:(\d+)/),
      redisScripts: ev,
      cliCpu: (c.user + c.system) / 1000,
      wrkCpu: await workerCpu(),
      pgCpu: pgCpuMs(),
      redisCpu: redisCpuMs(),
      m: machine(),
    };
  }
  static diff(a, b, units) {
    const mt = b.m.tot - a.m.tot || 1;
    const busyMs = ((mt - (b.m.idle - a.m.idle)) * 1000) / HZ;
    const ours = b.cliCpu - a.cliCpu + (b.wrkCpu - a.wrkCpu) + (b.pgCpu - a.pgCpu) + (b.redisCpu - a.redisCpu);
    return {
      wall_ms: r2(b.t - a.t),
      wal_bytes_per_unit: Math.round((b.wal - a.wal) / units),
      redis_scripts_per_unit: r2((b.redisScripts - a.redisScripts) / units),
      redis_commands_per_unit: r2((b.redisCmds - a.redisCmds) / units),
      redis_bytes_per_unit: Math.round((b.redisIn - a.redisIn + b.redisOut - a.redisOut) / units),
      cpu_ms_per_unit: {
        client: r2((b.cliCpu - a.cliCpu) / units),
        worker: r2((b.wrkCpu - a.wrkCpu) / units),
        pg: r2((b.pgCpu - a.pgCpu) / units),
        redis: r2((b.redisCpu - a.redisCpu) / units),
        all: r2(ours / units),
      },
      others_cpu_share: r2(Math.max(0, busyMs - ours) / ((mt * 1000) / HZ)), // of both cores, incl. the kernel's share
      steal: r2((b.m.steal - a.m.steal) / mt),
    };
  }
  async commits() {
    // backends flush their statistics at most once a second
    await sleep(1300);
    const { rows } = await this.pg.query(
      'select sum(xact_commit) c, (select wal_sync from pg_stat_wal) s from pg_stat_database',
    );
    return { c: Number(rows[0].c), s: Number(rows[0].s) };
  }
  /** What `run` answers and what it cost, by units; transactions and fsyncs with what idles in the second around it. */
  async measured(units, workerCpu, run) {
    const c0 = await this.commits();
    const a = await this.snap(workerCpu);
    const result = await run();
    const b = await this.snap(workerCpu);
    const c1 = await this.commits();
    return {
      result,
      commits_per_unit: r2((c1.c - c0.c) / units),
      fsyncs_per_unit: r2((c1.s - c0.s) / units),
      ...Meter.diff(a, b, units),
    };
  }
  async checkpoint() {
    await this.pg.query('checkpoint');
  }
  async close() {
    await this.pg.end();
    this.redis.disconnect();
  }
}

/** Waits (12 s at most) for a second in which nobody else uses more than an eighth of the machine. Returns that share. */
export async function quiet(max = Number(process.env.QUIET_S ?? 12)) {
  const end = now() + max * 1000;
  for (;;) {
    const a = machine();
    await sleep(1000);
    const b = machine();
    const busy = 1 - (b.idle - a.idle) / (b.tot - a.tot || 1);
    if (busy < 0.125 || now() > end) return r2(busy);
  }
}
/** A fixed piece of arithmetic, to see how loaded the machine is: about 60 ms on an idle core. */
export function calib() {
  const t = now();
  let x = 1;
  for (let i = 0; i < 3e7; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return r2(now() - t) + (x === 0 ? 1 : 0);
}

mkdirSync(new URL('../results/', import.meta.url), { recursive: true });
const RESULTS = fileURLToPath(new URL('../results/results.jsonl', import.meta.url));
export function emit(o) {
  const line = JSON.stringify({ at: new Date().toISOString(), load1: r2(os.loadavg()[0]), ...o });
  console.log(line);
  appendFileSync(RESULTS, line + '\n');
}
