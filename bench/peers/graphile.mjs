// graphile-worker 0.17.3 (the newest for Node 20; 0.18 needs Node 22). LISTEN/NOTIFY wakes it. Each step job adds the next one; join by a counter row.
// Variants: default; batched (localQueue of 50, completeJobBatchDelay 0: the documented high-throughput settings).
import { run, makeWorkerUtils, Logger } from 'graphile-worker';
import pg from 'pg';
import { main, noop, freshDb, pgUrl, CONCURRENCY, STEPS } from './lib/harness.mjs';

const DB = 'bench_graphile';
const logger = new Logger(() => (l, msg) => {
  if (l === 'error') console.error(msg);
});
main(import.meta.url, {
  name: 'graphile-worker',
  variants: ['default', 'batched'],
  async setup() {
    const url = await freshDb(DB);
    const u = await makeWorkerUtils({ connectionString: url, logger });
    await u.migrate();
    await u.release();
    const c = new pg.Client(url);
    await c.connect();
    await c.query('create table joins(id text primary key, n int not null)');
    await c.end();
  },
  async worker(v, ipc) {
    const pool = new pg.Pool({ connectionString: pgUrl(DB), max: 25 });
    pool.on('error', () => {});
    const runner = await run({
      pgPool: pool,
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      logger,
      pollInterval: 2000,
      preset:
        v === 'batched'
          ? { worker: { concurrentJobs: CONCURRENCY, localQueue: { size: 50 }, completeJobBatchDelay: 0 } }
          : undefined,
      taskList: {
        step: async ({ id, i, prev }, h) => {
          const out = noop(id, i, prev);
          if (i < STEPS) await h.addJob('step', { id, i: i + 1, prev: out });
        },
        map: async ({ id, n }, h) => {
          noop(id, 0);
          await h.addJobs(Array.from({ length: n }, (_, i) => ({ identifier: 'item', payload: { id, i, n } })));
        },
        item: async ({ id, i, n }, h) => {
          noop(id, i);
          const r = await pool.query(
            'insert into joins values($1,1) on conflict (id) do update set n=joins.n+1 returning n',
            [id],
          );
          if (r.rows[0].n === n) await h.addJob('join', { id });
        },
        join: async ({ id }) => {
          noop(id, 0);
        },
      },
    });
    // job:complete is emitted once the job's end is in the database
    runner.events.on('job:complete', ({ job }) => {
      const p = job.payload;
      if ((job.task_identifier === 'step' && p.i === STEPS) || job.task_identifier === 'join') ipc.done(p.id);
    });
    return () => runner.stop();
  },
  async client() {
    const pool = new pg.Pool({ connectionString: pgUrl(DB), max: 20 });
    const u = await makeWorkerUtils({ pgPool: pool, logger });
    return {
      startChain: (id) => u.addJob('step', { id, i: 1 }),
      startFan: (id, n) => u.addJob('map', { id, n }),
      close: async () => {
        await u.release();
        await pool.end();
      },
    };
  },
});
