import { Redis } from 'ioredis';
import { describeRedis, testRedis, waitFor } from '../../support/index.js';
import { Installation, PROJECT } from '../../support/installation.js';
import { ownPostgres } from '../../support/own-postgres.js';

const RUNS = 20;
const STEPS = 5;

/**
 * What a step of a chain costs in counts, which do not depend on how fast the machine is; alone on it, a flight is smaller and a
 * step costs more, so these are bounds from above. Raise one only when you know what you bought with it.
 */
const BASELINE = {
  /** Of a start: created, started, first step queued; of a step: started, succeeded, next one queued or the run's end. */
  eventsOfRun: 3 + 3 * STEPS,
  /** The end of a step and what follows from it is one transaction, and so is the start of a run. */
  writingTransactionsAStep: 1 + 1 / STEPS,
  /** The end; the claim of those that another process made runnable; being taken for the queue, which most are born with. */
  updatesAStep: 1.9,
  /** At least: claims add no entry to any index (HOT), unless a burst has filled their page; of each run the first step is claimed. */
  hotUpdatesAStep: 0.6 / STEPS,
  /** With the share of the run's own rows; this server writes no full pages after a checkpoint. */
  walBytesAStep: 5_600,
  /** One to add the job, one to end it and take the next; the rest is admission, which asks by the clock. */
  redisScriptsAStep: 2.6,
};

describeRedis('what a step costs', () => {
  it('is no more than it was', async () => {
    const { url, prefix } = await testRedis();
    const own = await ownPostgres({ durable: false });
    const slow = { WEIR_SWEEP_S: '60', WEIR_LEASE_S: '120', WEIR_HEARTBEAT_S: '60' };
    const installation = await Installation.open({
      ...{ DATABASE_URL: own.server.url, REDIS_URL: url, WEIR_QUEUE_PREFIX: prefix },
      ...slow,
    });
    const { sql } = installation.accepting.database;
    const redis = new Redis(url);
    const monitor = await redis.monitor();
    try {
      const ids = Array.from({ length: STEPS }, (_, n) => `s${n + 1}`);
      await installation.apply(
        'chain',
        ids.map((id, n) => ({ id, transform: { n: '${inputs.n}' }, ...(n === 0 ? {} : { depends_on: [`s${n}`] }) })),
      );
      let scripts = 0;
      const elsewhere: string[] = [];
      monitor.on('monitor', (_time: string, [name = '', _script, count, ...words]: string[]) => {
        if (!/^eval(sha)?$/i.test(name) || !words.some((word) => word.includes(prefix))) return;
        scripts += 1;
        const keys = words.slice(0, Number(count));
        elsewhere.push(...keys.filter((key) => !key.startsWith(`{${prefix}}:`)));
      });
      const worker = await installation.worker();
      const logged = await walPosition(sql);
      const runIds = await Promise.all(Array.from({ length: RUNS }, (_, n) => installation.start('chain', n)));
      for (const runId of runIds) expect((await installation.ended(runId)).status).toBe('succeeded');
      const walBytes = (await walPosition(sql)) - logged;
      await worker.end();
      const [written] = await sql<{ events: number; transactions: number; starts: number }[]>`
        select count(*)::integer as events, count(distinct xact)::integer as transactions,
          (select sum(starts)::integer from step_run where project_id = ${PROJECT}) as starts
        from event where project_id = ${PROJECT} and run_id = any(${runIds})`;
      const steps = RUNS * STEPS;
      // The worker's connections have counted when they are gone.
      const updates = await waitFor(async () => {
        const [row] = await sql<{ updates: number; hot: number }[]>`
          select n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_user_tables where relname = 'step_run'`;
        return row !== undefined && row.updates >= steps ? row : null;
      });
      // The bench says how far below; printed where somebody looks into a run of this test.
      process.stdout.write(
        `a step: ${((written?.transactions ?? 0) / steps).toFixed(2)} writing transactions, ${(updates.updates / steps).toFixed(2)} updates (${(updates.hot / steps).toFixed(2)} HOT), ${(walBytes / steps).toFixed(0)} bytes of WAL, ${(scripts / steps).toFixed(2)} scripts\n`,
      );
      expect(written).toMatchObject({ events: RUNS * BASELINE.eventsOfRun, starts: steps });
      expect((written?.transactions ?? 0) / steps).toBeLessThanOrEqual(BASELINE.writingTransactionsAStep);
      expect(updates.updates / steps).toBeLessThanOrEqual(BASELINE.updatesAStep);
      expect(updates.hot / steps).toBeGreaterThanOrEqual(BASELINE.hotUpdatesAStep);
      expect(walBytes / steps).toBeLessThanOrEqual(BASELINE.walBytesAStep);
      expect(scripts / steps).toBeLessThanOrEqual(BASELINE.redisScriptsAStep);
      // On a Redis Cluster a script may only touch keys of one slot: the hash tag puts all of an installation there.
      expect(elsewhere).toEqual([]);
    } finally {
      monitor.disconnect();
      redis.disconnect();
      await installation.close();
      await own.remove();
    }
  }, 120_000);
});

/** Bytes of log that the server has written since it was made. */
async function walPosition(sql: Installation['accepting']['database']['sql']): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`;
  return row?.bytes ?? 0;
}
