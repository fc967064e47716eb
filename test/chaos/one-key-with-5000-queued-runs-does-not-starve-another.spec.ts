import { scenario } from './support/scenario.js';
import { expectRunsSound, expectSoundRows } from './support/soundness.js';

const MANY = 5_000;
const FEW = 20;
const CLIENTS = 16;
/** Far more than the few need, far fewer than if they stood in line behind the many. */
const MOST_BEFORE = MANY / 5;

scenario('one key with 5,000 queued runs does not starve another', {
  deployment: { workers: 2 },
  run: async ({ deployment, tell }) => {
    const { sql } = deployment.database;
    await deployment.apply({
      name: 'busy',
      inputs: { customer: { type: 'string', required: true } },
      concurrency: { key: '${inputs.customer}', limit: 10_000 },
      steps: [
        { id: 'one', transform: { n: '1' } },
        { id: 'two', depends_on: ['one'], transform: { n: '2' } },
      ],
    });
    await Promise.all(deployment.workers.map((worker) => worker.terminate()));
    let started = 0;
    const client = async (): Promise<void> => {
      while (started < MANY) {
        started += 1;
        await deployment.start('busy', { customer: 'many' });
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    tell(`${MANY} runs are queued`);
    await Promise.all(deployment.workers.map((worker) => worker.start()));
    const few = await Promise.all(Array.from({ length: FEW }, () => deployment.start('busy', { customer: 'few' })));
    const runs = await deployment.ended(few);
    const [before] = await sql<{ runs: number }[]>`
      select count(*)::int as runs from run
      where concurrency_key is not null and run_id <> all(${few}) and ended_at < (select max(ended_at) from run where run_id = any(${few}))`;
    tell(`${before?.runs} of ${MANY} runs ended before the last of the other key's ${FEW}`);
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'succeeded'));
    expect(before?.runs).toBeLessThan(MOST_BEFORE);

    for (let cursor: string | null = null, isLast = false; !isLast;) {
      const filter = { pipeline: 'busy', status: ['queued', 'running', 'waiting'] };
      const answer = await deployment.ask('POST', '/v1/bulk-actions', { action: 'cancel', filter, limit: 200, cursor });
      expect(answer.status).toBe(200);
      ({ next_cursor: cursor } = answer.body as { next_cursor: string | null });
      isLast = cursor === null;
    }
    const all = await sql<{ run_id: string }[]>`select run_id from run`;
    await deployment.ended(all.map(({ run_id: runId }) => runId));
    await expectSoundRows(deployment);
    await expectRunsSound(deployment, [...few, ...all.slice(0, 100).map(({ run_id: runId }) => runId)]);
  },
});
