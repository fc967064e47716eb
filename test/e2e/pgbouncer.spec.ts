import { createServer, type AddressInfo } from 'node:net';
import { connect } from '../../libs/event-store/src/index.js';
import { Deployment } from '../chaos/support/deployment.js';
import {
  allowLocal,
  clerkScript,
  expectOrders,
  expectSessions,
  order,
  session,
  sessionScript,
} from '../chaos/support/pipelines.js';
import { expectSound } from '../chaos/support/soundness.js';
import { ToolServer } from '../chaos/support/tool-server.js';
import { describeRedis, waitFor } from '../support/index.js';
import { describePgBouncer, startPgBouncer } from '../support/pgbouncer.js';

/** Fewer than one process alone may open. */
const CONNECTIONS = 3;

/** What docs/guide/operating.md says to set: a pooler does not pass these on. Sessions that are open already do not learn of it. */
async function boundTransactions(url: string): Promise<void> {
  const database = connect({ url, poolSize: 1 });
  const role = new URL(url).username;
  await database.sql.unsafe(`
    alter role ${role} set statement_timeout = '15s';
    alter role ${role} set lock_timeout = '12s';
    alter role ${role} set idle_in_transaction_session_timeout = '7500ms';
    alter role ${role} set jit = off`);
  await database.close();
}

const inTransactionMode = (): void => {
  it('runs agents, fan-outs, waits, compactions and cancels, over fewer connections than one process asks for', async () => {
    const [tools, sessionTools] = [await ToolServer.open(() => 20), await ToolServer.open(() => 20)];
    const hanging = createServer();
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    const poolers: Awaited<ReturnType<typeof startPgBouncer>>[] = [];
    const deployment = await Deployment.open({
      ...{ workers: 1, compactors: 1, operatorFile: allowLocal },
      environment: { WEIR_PREPARE: 'false', WEIR_POOL_SIZE: '6' },
      before: async (postgres) => {
        await boundTransactions(postgres.url);
        const pooler = await startPgBouncer(postgres, CONNECTIONS);
        poolers.push(pooler);
        return pooler.url;
      },
    });
    const { sql } = deployment.database;
    deployment.script('clerk', clerkScript(20));
    deployment.script('session', sessionScript(20));
    const { port } = hanging.address() as AddressInfo;
    const stuck = { kind: 'http', description: 'Hangs.', method: 'GET', url: `http://127.0.0.1:${port}/` };
    await deployment.apply(order(tools));
    await deployment.apply(session(sessionTools));
    await deployment.apply({
      name: 'waiting',
      steps: [
        { id: 'nap', sleep: '1s' },
        { id: 'word', depends_on: ['nap'], wait_for: { signal: 'word', key: 'k' } },
        { id: 'said', depends_on: ['word'], transform: '${steps.word.output}' },
      ],
    });
    await deployment.apply({ name: 'stuck', tools: { stuck }, steps: [{ id: 'call', tool: 'stuck', args: {} }] });

    const inputs = Array.from({ length: 12 }, (_, n) => n);
    const orders = await Promise.all(inputs.map((n) => deployment.start('order', { n })));
    const sessions = await Promise.all([1, 2].map((n) => deployment.start('session', { n })));
    const waiting = await deployment.start('waiting', {});
    const cancelled = await deployment.start('stuck', {});
    const isCalling = async (): Promise<boolean> =>
      (await new Promise<number>((resolve) => hanging.getConnections((_, n) => resolve(n)))) > 0;
    await waitFor(isCalling, { what: 'the call that hangs', timeoutMs: 60_000 });
    expect((await deployment.ask('POST', `/v1/runs/${cancelled}/cancel`)).status).toBe(202);
    await deployment.ask('POST', '/v1/signals/word', { key: 'k', payload: 'hello' });

    expectOrders(await deployment.ended(orders), inputs, tools);
    expectSessions(await deployment.ended(sessions), sessionTools);
    expect(await deployment.ended([waiting, cancelled])).toMatchObject([
      { status: 'succeeded' },
      { status: 'cancelled' },
    ]);
    expect([...(await sql`select status from compaction where status = 'compacted' limit 1`)]).toHaveLength(1);
    expect([...(await sql`select step_id, attempt from step_run where attempt > 1`)]).toEqual([]);
    const open = await sql`
      select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
        and application_name <> 'chaos'`;
    expect(open.length).toBeLessThanOrEqual(CONNECTIONS);
    await expectSound(deployment, [...orders, ...sessions, waiting, cancelled]);
    await deployment.close();
    for (const pooler of poolers) await pooler.stop();
    await tools.close();
    await sessionTools.close();
    hanging.close();
  }, 300_000);
};

describeRedis('an installation on Redis', () => {
  describePgBouncer('behind PgBouncer in transaction mode', inTransactionMode);
});
