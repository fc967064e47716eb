// The worker's side of the harness: the step that all peers do, what is noted of it, and the talk with the driver.
import { now } from './basics.mjs';
import { profile } from './profile.mjs';

const stepLog = new Map();
const note = (id, entry) => {
  const log = stepLog.get(id);
  if (log === undefined) stepLog.set(id, [entry]);
  else log.push(entry);
};

/** The step of W1 to W3. Its start and end are taken on CLOCK_MONOTONIC, which both processes share. */
export function noop(id, i, input) {
  const s = now();
  const out = { ok: true, step: i, of: id, prev: input?.step ?? null };
  note(id, [s, now()]);
  return out;
}

/** W4: the model of workflow `id` is asked with so many chars. */
export const noteCall = (id, chars) => note(id, [now(), chars]);

export function workerIpc() {
  const handlers = {};
  // The driver is gone, however it ended.
  process.once('disconnect', () => process.exit(1));
  process.on('message', async (m) => {
    if (m.t === 'cpu') {
      const c = process.cpuUsage();
      process.send({ t: 'cpu', ms: (c.user + c.system) / 1000, rss: process.memoryUsage().rss });
    } else if (m.t === 'profile') {
      await profile(m.what, m.name);
      process.send({ t: 'profile' });
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
