// One harness for every peer. The driver process (the client) forks one worker process; the two talk by IPC.
// A peer module exports { name, variants, setup(v), client(v, ipc), worker(v, ipc) } and calls main(import.meta.url, peer).
//   setup(variant)         once, in the driver, before the worker starts (schemas, queues, flush)
//   client(variant, ipc)   in the driver: { startChain(id), startFan(id, n), startFanByDefault(id, n), startLoop(id, turns), close() }, or those it has
//   worker(variant, ipc)   in the worker: starts it; calls ipc.done(id) when a workflow is durably finished
// A step is `noop(id, i)`, a call of a model `modelOf(id, turns)`.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { now, sleep } from './basics.mjs';
import { Meter, calib, emit, quiet } from './meter.mjs';
import { profiled } from './profile.mjs';
import { workerIpc } from './worker-side.mjs';
import { WORKLOADS } from './workloads.mjs';

export * from './basics.mjs';
export { noop, Semaphore } from './worker-side.mjs';

export async function main(url, peer) {
  const file = fileURLToPath(url);
  if (process.env.BENCH_ROLE === 'worker') return work(peer);
  if (process.argv[1] !== file) return;
  const args = process.argv.slice(2);
  const workloads = args.filter((a) => a in WORKLOADS);
  const variants = args.filter((a) => !(a in WORKLOADS));
  const meter = await new Meter().open();
  for (const variant of variants.length ? variants : peer.variants)
    await measureVariant(file, peer, variant, workloads.length ? workloads : ['W1', 'W2', 'W3'], meter);
  await meter.close();
  process.exit(0);
}

async function work(peer) {
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
}

async function measureVariant(file, peer, variant, workloads, meter) {
  await peer.setup(variant);
  const worker = await startWorker(file, peer, variant);
  const client = await peer.client(variant, { send: worker.send });
  const bench = benchOf(client, worker, meter, shares(peer, variant));
  // A measurement during which others took more than a fifth of the machine is repeated, at most SPARE times more; all are kept.
  const todo = workloads.flatMap((w) => Array(Number(process.env.REPEAT ?? 1)).fill(w));
  const spare = Object.fromEntries(workloads.map((w) => [w, Number(process.env.SPARE ?? 2)]));
  while (todo.length) {
    const w = todo.shift();
    const busy_before = await quiet();
    const calib_ms = calib();
    const named = `${peer.name}-${variant}-${w}`;
    const measured = await WORKLOADS[w]({
      ...bench,
      measured: (units, run) => profiled(named, worker.profile, () => bench.measured(units, run)),
    });
    emit({ peer: peer.name, variant, busy_before, w, calib_ms, ...measured });
    if (measured.others_cpu_share > 0.2 && spare[w]-- > 0) todo.unshift(w);
  }
  await client.close();
  await worker.stop();
}

/** Of the workflows of each workload, how many are run: some variants are slow. */
function shares(peer, variant) {
  const given = process.env.SCALE;
  const share = (of) => Number(given ?? of?.(variant) ?? 1);
  const own = share(peer.scale);
  const fan = peer.scale3?.(variant) ?? own;
  return { W1: own, W2: peer.scale2?.(variant) ?? own, W3: fan, W3d: fan, W4: own };
}

const STARTS = {
  chain: (client, id) => client.startChain(id),
  fan: (client, id, n) => client.startFan(id, n),
  fanByDefault: (client, id, n) => client.startFanByDefault(id, n),
  loop: (client, id, n) => client.startLoop(id, n),
};

function benchOf(client, worker, meter, share) {
  const done = new Set();
  let seq = 0;
  return {
    share,
    checkpoint: () => meter.checkpoint(),
    measured: (units, run) => meter.measured(units, worker.cpuMs, run),
    /** Warm-ups, once for each worker process. */
    async once(what, run) {
      if (done.has(what)) return;
      done.add(what);
      await run();
    },
    /** Times in ms: `lat` until the durable end, `s` what the worker noted of its steps or calls. */
    async run(kind, n) {
      const id = `${kind}-${process.pid}-${++seq}`;
      const ended = worker.ended(id);
      const t0 = now();
      await STARTS[kind](client, id, n);
      const { end, s } = await ended;
      return { lat: end - t0, t0, s };
    },
  };
}

async function startWorker(file, peer, variant) {
  const child = fork(file, [], {
    env: { ...process.env, BENCH_ROLE: 'worker', BENCH_VARIANT: variant },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map();
  let onCpu, onReady, onProfile;
  const ready = new Promise((resolve) => (onReady = resolve));
  child.on('message', (m) => {
    if (m.t === 'done') {
      waiting.get(m.id)?.(m);
      waiting.delete(m.id);
    } else if (m.t === 'ready') onReady();
    else if (m.t === 'cpu') onCpu?.(m.ms);
    else if (m.t === 'profile') onProfile?.();
  });
  child.on('exit', (code) => {
    if (code) {
      console.error(`worker of ${peer.name}/${variant} exited ${code}`);
      process.exit(1);
    }
  });
  await ready;
  return {
    send: (m) => child.send(m),
    ended: (id) => new Promise((resolve) => waiting.set(id, resolve)),
    cpuMs: () =>
      new Promise((resolve) => {
        onCpu = resolve;
        child.send({ t: 'cpu' });
      }),
    /** `begin`, then `end` with the name of the profile's file. */
    profile: (what, name) =>
      new Promise((resolve) => {
        onProfile = resolve;
        child.send({ t: 'profile', what, name });
      }),
    stop: () =>
      new Promise((resolve) => {
        const late = setTimeout(() => child.kill('SIGKILL'), 6000);
        child.on('exit', () => {
          clearTimeout(late);
          resolve();
        });
        child.send({ t: 'stop' });
      }),
  };
}
