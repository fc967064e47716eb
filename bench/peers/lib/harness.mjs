// One harness for every peer. The driver process (the client) forks one worker process; the two talk by IPC.
// A peer module exports { name, variants, setup(v), client(v, ipc), worker(v, ipc) } and calls main(import.meta.url, peer).
//   setup(variant)         once, in the driver, before the worker starts (schemas, queues, flush)
//   client(variant, ipc)   in the driver: { startChain(id), startFan(id, n), close() }
//   worker(variant, ipc)   in the worker: starts it; calls ipc.done(id, steps) when a workflow is durably finished
// A step is `noop(id, i)`; its start and end are taken on CLOCK_MONOTONIC, which both processes share.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CLIENTS, STEPS, now, q, r2, sleep } from './basics.mjs';
import { Meter, calib, emit, quiet } from './meter.mjs';

export * from './basics.mjs';

// ---- the worker's side --------------------------------------------------
const stepLog = new Map();
export function noop(id, i, input) {
  const s = now();
  const out = { ok: true, step: i, of: id, prev: input?.step ?? null };
  const e = now();
  let l = stepLog.get(id);
  if (!l) stepLog.set(id, (l = []));
  l.push([s, e]);
  return out;
}
function workerIpc() {
  const handlers = {};
  process.on('message', async (m) => {
    if (m.t === 'cpu') {
      const c = process.cpuUsage();
      process.send({ t: 'cpu', ms: (c.user + c.system) / 1000, rss: process.memoryUsage().rss });
    } else handlers[m.t]?.(m);
  });
  return {
    on: (t, f) => {
      handlers[t] = f;
    },
    done: (id) => {
      const s = stepLog.get(id);
      stepLog.delete(id);
      process.send({ t: 'done', id, end: now(), s });
    },
    send: (m) => process.send(m),
  };
}

export class Semaphore {
  constructor(n) {
    this.n = n;
    this.w = [];
  }
  async run(f) {
    if (this.n > 0) this.n--;
    else await new Promise((r) => this.w.push(r));
    try {
      return await f();
    } finally {
      const x = this.w.shift();
      if (x) x();
      else this.n++;
    }
  }
}

// ---- the driver ---------------------------------------------------------
export async function main(url, peer) {
  const file = fileURLToPath(url);
  if (process.env.BENCH_ROLE === 'worker') {
    const ipc = workerIpc();
    let stop;
    ipc.on('stop', async () => {
      try {
        await Promise.race([stop?.(), sleep(4000)]);
      } finally {
        process.exit(0);
      }
    });
    stop = await peer.worker(process.env.BENCH_VARIANT, ipc);
    process.send({ t: 'ready' });
    return;
  }
  if (process.argv[1] !== file) return;
  const args = process.argv.slice(2);
  const wl = args.filter((a) => /^W\d$/.test(a));
  const vs = args.filter((a) => !/^W\d$/.test(a));
  const m = await new Meter().open();
  for (const v of vs.length ? vs : peer.variants)
    await oneVariant(file, peer, v, wl.length ? wl : ['W1', 'W2', 'W3'], m);
  await m.close();
  process.exit(0);
}

async function oneVariant(file, peer, variant, wl, m) {
  await peer.setup(variant);
  const child = fork(file, [], {
    env: { ...process.env, BENCH_ROLE: 'worker', BENCH_VARIANT: variant },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map();
  let cpuWait, readyRes;
  const ready = new Promise((r) => (readyRes = r));
  child.on('message', (x) => {
    if (x.t === 'done') {
      const w = waiting.get(x.id);
      waiting.delete(x.id);
      w?.({ ...x, seen: now() });
    } else if (x.t === 'ready') readyRes();
    else if (x.t === 'cpu') cpuWait?.(x.ms);
  });
  child.on('exit', (c) => {
    if (c) {
      console.error(`worker of ${peer.name}/${variant} exited ${c}`);
      process.exit(1);
    }
  });
  const workerCpu = () =>
    new Promise((r) => {
      cpuWait = r;
      child.send({ t: 'cpu' });
    });
  await ready;
  const cl = await peer.client(variant, { send: (x) => child.send(x) });
  const wait = (id) => new Promise((r) => waiting.set(id, r));
  let seq = 0;
  const runOne = async (kind, n) => {
    const id = `${kind}-${process.pid}-${++seq}`;
    const p = wait(id);
    const t0 = now();
    if (kind === 'c') await cl.startChain(id);
    else await cl.startFan(id, n);
    const d = await p;
    return { lat: d.end - t0, seen: d.seen - t0, t0, s: d.s };
  };
  const pool = async (n, conc) => {
    const out = [];
    let left = n;
    await Promise.all(
      Array.from({ length: Math.min(conc, n) }, async () => {
        while (left-- > 0) out.push(await runOne('c'));
      }),
    );
    return out;
  };
  const scale = Number(process.env.SCALE ?? peer.scale?.(variant) ?? 1);
  const base = { peer: peer.name, variant };
  let warm = false;
  const again = Number(process.env.REPEAT ?? 1);
  // a measurement during which others took more than a fifth of the machine is repeated, at most twice more (all are kept)
  const todo = wl.flatMap((x) => Array(again).fill(x));
  const spare = Object.fromEntries(wl.map((x) => [x, Number(process.env.SPARE ?? 2)]));
  const judge = (w, d) => {
    if (d.others_cpu_share > 0.2 && spare[w]-- > 0) todo.unshift(w);
  };
  while (todo.length) {
    const w = todo.shift();
    const before = await quiet();
    const cal = calib();
    base.busy_before = before;
    if (w === 'W1') {
      const n = Math.max(50, Math.round(500 * scale));
      if (!warm) await pool(Math.round(400 * scale), CLIENTS); // warm up: the compiled code of 2,000 steps
      warm = true;
      const c0 = await m.commits();
      const a = await m.snap(workerCpu);
      const o = await pool(n, CLIENTS);
      const b = await m.snap(workerCpu);
      const c1 = await m.commits();
      const d = Meter.diff(a, b, n * STEPS);
      const lat = o.map((x) => x.lat);
      emit({
        ...base,
        w,
        n,
        steps_s: r2((n * STEPS * 1000) / d.wall_ms),
        workflows_s: r2((n * 1000) / d.wall_ms),
        p50_ms: r2(q(lat, 0.5)),
        p99_ms: r2(q(lat, 0.99)),
        commits_per_step: r2((c1.c - c0.c) / (n * STEPS)),
        fsyncs_per_step: r2((c1.s - c0.s) / (n * STEPS)),
        calib_ms: cal,
        ...d,
      });
      judge(w, d);
    } else if (w === 'W2') {
      const n = Math.max(10, Math.round(100 * (peer.scale2?.(variant) ?? scale)));
      for (let i = 0; i < Math.max(3, n / 5); i++) await runOne('c');
      const a = await m.snap(workerCpu);
      const o = [];
      for (let i = 0; i < n; i++) o.push(await runOne('c'));
      const b = await m.snap(workerCpu);
      const d = Meter.diff(a, b, n * STEPS);
      const lat = o.map((x) => x.lat);
      const tr = o.flatMap((x) => x.s.slice(1).map((y, i) => y[0] - x.s[i][1]));
      const st = o.map((x) => x.s[0][0] - x.t0);
      emit({
        ...base,
        w,
        n,
        total_p50_ms: r2(q(lat, 0.5)),
        total_p99_ms: r2(q(lat, 0.99)),
        step_p50_ms: r2(q(tr, 0.5)),
        step_p99_ms: r2(q(tr, 0.99)),
        start_p50_ms: r2(q(st, 0.5)),
        start_p99_ms: r2(q(st, 0.99)),
        calib_ms: cal,
        ...d,
      });
      judge(w, d);
    } else if (w === 'W3') {
      const items = 200,
        n = Math.max(3, Math.round(10 * (peer.scale3?.(variant) ?? scale)));
      for (let i = 0; i < 2; i++) await runOne('f', items);
      const a = await m.snap(workerCpu);
      const o = [];
      for (let i = 0; i < n; i++) o.push(await runOne('f', items));
      const b = await m.snap(workerCpu);
      const d = Meter.diff(a, b, n * items);
      const lat = o.map((x) => x.lat);
      emit({
        ...base,
        w,
        n,
        items,
        items_s: r2((n * items * 1000) / lat.reduce((x, y) => x + y, 0)),
        p50_ms: r2(q(lat, 0.5)),
        max_ms: r2(Math.max(...lat)),
        calib_ms: cal,
        ...d,
      });
      judge(w, d);
    }
  }
  await cl.close();
  child.send({ t: 'stop' });
  await new Promise((r) => {
    const to = setTimeout(() => {
      child.kill('SIGKILL');
    }, 6000);
    child.on('exit', () => {
      clearTimeout(to);
      r();
    });
  });
}
