// Raw BullMQ (no Postgres), Redis without persistence. Variants:
//   raw   each step job's processor adds the next job; fan-out: addBulk, join by INCR
//   flow  FlowProducer: the chain is a nested flow, the fan-out a parent with n children
import { Queue, Worker, FlowProducer } from 'bullmq';
import Redis from 'ioredis';
import { main, noop, redisOpts, flushRedis, CONCURRENCY, STEPS } from './lib/harness.mjs';

const Q = 'steps';
const opts = { removeOnComplete: true, removeOnFail: 1000 };
main(import.meta.url, {
  name: 'bullmq',
  variants: ['raw', 'flow'],
  async setup() {
    await flushRedis();
  },
  async worker(v, ipc) {
    const queue = new Queue(Q, { connection: redisOpts });
    const redis = new Redis(redisOpts);
    const w = new Worker(
      Q,
      async (job) => {
        const { id, i, n } = job.data;
        if (job.name === 'step') {
          const out = noop(id, i, job.data.prev);
          if (v === 'raw' && i < STEPS) await queue.add('step', { id, i: i + 1, prev: out }, opts);
          return out;
        }
        if (job.name === 'map') {
          noop(id, 0);
          await queue.addBulk(Array.from({ length: n }, (_, k) => ({ name: 'item', data: { id, i: k, n }, opts })));
          return 1;
        }
        if (job.name === 'item') {
          const out = noop(id, i);
          if (v === 'raw' && (await redis.incr(`join:${id}`)) === n) await queue.add('join', { id }, opts);
          return out;
        }
        if (job.name === 'join') {
          if (v === 'flow') Object.keys(await job.getChildrenValues()).length;
          return noop(id, 0);
        }
      },
      { connection: redisOpts, concurrency: CONCURRENCY },
    );
    w.on('completed', (job) => {
      if ((job.name === 'step' && job.data.i === STEPS) || job.name === 'join') ipc.done(job.data.id);
    });
    w.on('error', (e) => console.error(e.message));
    await w.waitUntilReady();
    return async () => {
      await w.close();
      await queue.close();
      redis.disconnect();
    };
  },
  async client(v) {
    const queue = new Queue(Q, { connection: redisOpts });
    const flow = new FlowProducer({ connection: redisOpts });
    await queue.waitUntilReady();
    return {
      startChain: (id) => {
        if (v === 'raw') return queue.add('step', { id, i: 1 }, opts);
        let t = null;
        for (let i = 1; i <= STEPS; i++)
          t = { name: 'step', queueName: Q, data: { id, i }, opts, children: t ? [t] : undefined };
        return flow.add(t);
      },
      startFan: (id, n) => {
        if (v === 'raw') return queue.add('map', { id, n }, opts);
        return flow.add({
          name: 'join',
          queueName: Q,
          data: { id },
          opts,
          children: Array.from({ length: n }, (_, i) => ({ name: 'item', queueName: Q, data: { id, i, n }, opts })),
        });
      },
      close: async () => {
        await queue.close();
        await flow.close();
      },
    };
  },
});
