import type { EventLog, RunStore } from '#libs/engine';
import { connect, postgresEventLog, postgresRunStore, type Database } from '#libs/event-store';
import { ownPostgres } from '../../support/own-postgres.js';
import { memory, newRun, newStep, PROJECT, seedProject } from './seed.js';

const LEASE_MS = 60_000;
const STREAM = 'thread';

/**
 * Claims and marks of dispatch commit without waiting for the disk (ADR 0031). The server's own flush is put off, so that its
 * crash takes back every commit that nothing durable has followed.
 */
describe('a crash of Postgres', () => {
  let own: Awaited<ReturnType<typeof ownPostgres>>;
  let db: Database;
  let runs: RunStore;
  let log: EventLog;

  beforeAll(async () => {
    own = await ownPostgres({ durable: true });
    db = connect({ url: own.server.url, poolSize: 4 });
    runs = postgresRunStore(db);
    log = postgresEventLog(db);
    await seedProject(db);
  }, 120_000);

  afterAll(async () => {
    await db.close();
    await own.remove();
  });

  async function queuedStep(): Promise<string> {
    const run = newRun();
    const step = newStep(run.runId);
    await runs.transact(async (tx) => {
      await tx.insertRun(run);
      await tx.insertStepRuns(PROJECT, [step]);
    });
    return step.stepRunId;
  }
  const claim = async (stepRunId: string): Promise<number> => {
    const claimed = await runs.claimStep({ stepRunId, dispatchNo: 1, workerId: 'w', leaseMs: LEASE_MS });
    if (claimed === null) throw new Error(`${stepRunId} was not claimed`);
    return claimed.step.fence;
  };
  const append = async (stepRunId: string, fence: number) => {
    const fencedBy = { kind: 'step' as const, id: stepRunId, fence };
    const [result] = await log.append([
      { projectId: PROJECT, streamId: STREAM, events: [memory('k', 'v')], fence: fencedBy },
    ]);
    return result?.status;
  };
  async function crash(): Promise<void> {
    await own.server.kill();
    await own.server.start();
  }
  /** Ten seconds are the most that the server can put its own flush off. */
  async function holdBackFlushes(): Promise<void> {
    await db.sql`alter system set wal_writer_delay = '10s'`;
    await db.sql`select pg_reload_conf()`;
  }

  it('takes back a claim that left no facts, and nobody can write with its fence, whoever claims next', async () => {
    await holdBackFlushes();
    const [lost, kept] = [await queuedStep(), await queuedStep()];
    const keptFence = await claim(kept);
    expect(await append(kept, keptFence)).toBe('appended');
    const lostFence = await claim(lost);
    await crash();

    expect(await runs.getStepRun(kept)).toMatchObject({ status: 'running', fence: keptFence });
    expect(await runs.getStepRun(lost)).toMatchObject({ status: 'queued', fence: 0, starts: 0, dispatchNo: 1 });
    // The worker of the lost claim lives and goes on.
    expect(await append(lost, lostFence)).toBe('fenced_out');
    expect(await runs.heartbeat([{ stepRunId: lost, fence: lostFence }], LEASE_MS, 1)).toEqual(new Map());

    const fence = await claim(lost);
    expect(fence).toBeGreaterThan(lostFence);
    expect(await append(lost, lostFence)).toBe('fenced_out');
    expect(await append(lost, fence)).toBe('appended');
    expect(await append(kept, keptFence)).toBe('appended');
  }, 120_000);

  it('puts what was taken for the queue back into the outbox, under the same dispatch', async () => {
    const stepRunId = await queuedStep();
    await db.sql`update step_run set dispatched_at = now() where dispatched_at is null and step_run_id <> ${stepRunId}`;
    expect(await runs.takeRunnable(10)).toMatchObject([{ stepRunId, dispatchNo: 1 }]);
    await crash();
    expect(await runs.takeThese([stepRunId])).toMatchObject([{ stepRunId, dispatchNo: 1 }]);
  }, 120_000);
});
