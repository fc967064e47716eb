import { randomUUID } from 'node:crypto';
import type { CompactionStore, NewCompaction, PipelineStore, RunStore } from '#libs/engine';
import {
  connect,
  postgresCompactionStore,
  postgresEventLog,
  postgresPipelineStore,
  postgresRecordingStore,
  postgresRunStore,
  type Database,
  type RecordingStore,
} from '#libs/event-store';
import { createTestDatabase, type TestDatabase } from '../../support/index.js';
import { memory, PROJECT, seedProject, seedRunningStep } from './seed.js';

describe('the stores of pipelines, recordings and compactions', () => {
  let database: TestDatabase;
  let db: Database;
  let pipelines: PipelineStore;
  let recordings: RecordingStore;
  let compactions: CompactionStore;
  let runs: RunStore;

  beforeAll(async () => {
    database = await createTestDatabase();
    db = connect({ url: database.url });
    [pipelines, recordings, compactions, runs] = [
      postgresPipelineStore(db),
      postgresRecordingStore(db),
      postgresCompactionStore(db),
      postgresRunStore(db),
    ];
    await seedProject(db);
  }, 60_000);

  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  describe('pipelines', () => {
    const apply = (name: string, contentHash: string, promote = true) =>
      pipelines.applyVersion({
        projectId: PROJECT,
        name,
        document: { contentHash, text: '\u0000' },
        contentHash,
        promote,
      });

    it('makes a version of new content only, and moves live unless told not to', async () => {
      expect(await apply('a', 'h1')).toEqual({ version: 1, created: true });
      expect(await apply('a', 'h1')).toEqual({ version: 1, created: false });
      expect(await apply('a', 'h2', false)).toEqual({ version: 2, created: true });
      expect(await pipelines.getVersion(PROJECT, 'a', null)).toMatchObject({
        version: 1,
        document: { contentHash: 'h1', text: '\u0000' },
      });
      expect(await apply('a', 'h2')).toEqual({ version: 2, created: false });
      expect(await pipelines.getVersion(PROJECT, 'a', null)).toMatchObject({ version: 2 });
      expect(await apply('a', 'h1')).toEqual({ version: 3, created: true });
      expect(await pipelines.getVersion(PROJECT, 'a', 9)).toBeNull();
      expect(await pipelines.getVersion('other', 'a', null)).toBeNull();
      expect(await pipelines.getAliases(PROJECT, 'a')).toEqual({ live: 3, canary: null });
      expect(await pipelines.getAliases('other', 'a')).toEqual({ live: null, canary: null });
    });

    it('tells of a canary while it has a share', async () => {
      await apply('c', 'h1');
      const weigh = (weight: number) => db.sql`
        insert into pipeline_alias (project_id, name, alias, version, weight) values (${PROJECT}, 'c', 'canary', 1, ${weight})
        on conflict (project_id, name, alias) do update set weight = excluded.weight`;
      await weigh(5);
      expect(await pipelines.getAliases(PROJECT, 'c')).toEqual({ live: 1, canary: { version: 1, weight: 5 } });
      await weigh(0);
      expect(await pipelines.getAliases(PROJECT, 'c')).toEqual({ live: 1, canary: null });
    });

    it('numbers the versions of appliers that come at once', async () => {
      const applied = await Promise.all(Array.from({ length: 10 }, (_, n) => apply('b', `h${n}`)));
      expect(applied.map(({ version }) => version).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });
  });

  describe('recordings', () => {
    it('keeps, replaces, lists and deletes a recording', async () => {
      const body = { calls: ['x'.repeat(50_000), '\ud800'] };
      const put = await recordings.put(PROJECT, 'r1', body);
      expect(put.bytes).toBeGreaterThan(50_000);
      expect(await recordings.get(PROJECT, 'r1')).toEqual({ ...put, body });
      await recordings.put(PROJECT, 'r1', [1]);
      await recordings.put(PROJECT, 'r2', [1]);
      expect(await recordings.get(PROJECT, 'r1')).toMatchObject({ body: [1] });
      expect((await recordings.list(PROJECT, { afterName: null, limit: 10 })).map(({ name }) => name)).toEqual([
        'r1',
        'r2',
      ]);
      expect((await recordings.list(PROJECT, { afterName: 'r1', limit: 10 })).map(({ name }) => name)).toEqual(['r2']);
      expect(await recordings.delete(PROJECT, 'r1')).toBe(true);
      expect(await recordings.delete(PROJECT, 'r1')).toBe(false);
      expect(await recordings.get(PROJECT, 'r1')).toBeNull();
      expect(await recordings.get(PROJECT, 'r2')).toMatchObject({ body: [1] });
    });
  });

  describe('compactions', () => {
    const compaction = (overrides: Partial<NewCompaction> = {}): NewCompaction => ({
      projectId: PROJECT,
      compactionId: `cmp_${randomUUID()}`,
      streamId: `chat-${randomUUID()}:step:a`,
      runId: null,
      stepId: 'a',
      item: null,
      viewRunId: null,
      cutoffSeq: 0,
      reason: 'soft_cap',
      range: [1, 10],
      entries: [1, 7],
      supersedes: null,
      manifest: 'm',
      policyHash: 'p',
      maxSummaryChars: 1000,
      charsBefore: 5000,
      ...overrides,
    });
    const insert = (one: NewCompaction) => runs.transact((tx) => tx.insertCompaction(one));
    const claim = (compactionId: string, dispatchNo = 1, leaseMs = 60_000) =>
      compactions.claimCompaction({ compactionId, dispatchNo, workerId: 'c1', leaseMs });

    it('has at most one open compaction of a view', async () => {
      const one = compaction();
      expect(await Promise.all([insert(one), insert({ ...one, compactionId: `cmp_${randomUUID()}` })])).toContain(
        false,
      );
      expect(await insert({ ...one, compactionId: `cmp_${randomUUID()}`, viewRunId: 'run_1' })).toBe(true);
      const open = await runs.transact((tx) => tx.openCompaction(PROJECT, one.streamId, null));
      expect(open).not.toBeNull();
      await runs.transact((tx) => tx.updateCompaction(PROJECT, open ?? '', { status: 'skipped', ended: true }));
      expect(await runs.transact((tx) => tx.openCompaction(PROJECT, one.streamId, null))).toBeNull();
      expect(await insert({ ...one, compactionId: `cmp_${randomUUID()}` })).toBe(true);
    });

    it('is claimed once, renewed, fenced and dispatched again like a step', async () => {
      const one = compaction();
      await insert(one);
      expect(await compactions.takeRunnableCompactions(100)).toContainEqual({
        compactionId: one.compactionId,
        dispatchNo: 1,
      });
      expect(await compactions.findDispatchedCompactions(-1000, 100)).toContainEqual({
        compactionId: one.compactionId,
        dispatchNo: 1,
      });
      const claims = await Promise.all([claim(one.compactionId), claim(one.compactionId)]);
      expect(claims.filter((won) => won !== null)).toMatchObject([
        { ...one, status: 'running', fence: 1, starts: 1, attempts: [] },
      ]);
      expect(await compactions.heartbeatCompactions([{ compactionId: one.compactionId, fence: 1 }], -1)).toEqual(
        new Set([one.compactionId]),
      );
      expect(await compactions.findExpiredCompactions(100)).toMatchObject([{ compactionId: one.compactionId }]);
      expect(await claim(one.compactionId)).toBeNull();
      await runs.transact((tx) => tx.updateCompaction(PROJECT, one.compactionId, { requeue: true }));
      expect((await claim(one.compactionId, 2))?.fence).toBe(2);
      expect(await compactions.heartbeatCompactions([{ compactionId: one.compactionId, fence: 1 }], 1000)).toEqual(
        new Set(),
      );
      const log = postgresEventLog(db);
      const unit = (fence: number) => ({
        projectId: PROJECT,
        streamId: one.streamId,
        events: [memory('a', '1')],
        fence: { kind: 'compaction' as const, id: one.compactionId, fence },
      });
      expect((await log.append([unit(1), unit(2)])).map(({ status }) => status)).toEqual(['fenced_out', 'appended']);
      await runs.transact((tx) =>
        tx.updateCompaction(PROJECT, one.compactionId, { requeue: true, dueInMs: 60_000, attempt: 2 }),
      );
      expect(await compactions.takeRunnableCompactions(100)).not.toContainEqual(
        expect.objectContaining({ compactionId: one.compactionId }),
      );
      await runs.transact((tx) => tx.updateCompaction(PROJECT, one.compactionId, { dueInMs: null }));
      expect(await compactions.takeRunnableCompactions(100)).toContainEqual({
        compactionId: one.compactionId,
        dispatchNo: 3,
      });
      await compactions.undispatchCompactions([{ compactionId: one.compactionId, dispatchNo: 3 }]);
      expect(await compactions.takeRunnableCompactions(100)).toContainEqual({
        compactionId: one.compactionId,
        dispatchNo: 3,
      });
      expect(await compactions.redispatchAllCompactions()).toBeGreaterThan(0);
      expect(await compactions.getCompaction(PROJECT, one.compactionId)).toMatchObject({
        dispatchNo: 4,
        status: 'requested',
      });
    });

    it('shows one live compaction of a view, wakes its waiters and finds a paid summary again', async () => {
      const first = compaction();
      const second = compaction({
        streamId: first.streamId,
        supersedes: first.compactionId,
        range: [1, 20],
        entries: [1, 15],
      });
      const end = {
        status: 'compacted',
        live: true,
        ended: true,
        summary: 'sum\u0000',
        summarizerModel: 'm1',
        sourceDigest: randomUUID(),
      } as const;
      await insert(first);
      await runs.transact((tx) => tx.updateCompaction(PROJECT, first.compactionId, end));
      await insert(second);
      await seedRunningStep(db, { runId: 'run_w', stepRunId: 'srn_w' });
      await runs.transact(async (tx) => {
        await tx.updateStepRun(PROJECT, 'srn_w', { status: 'waiting', reason: 'compaction' });
        await tx.addWait(PROJECT, 'srn_w', { kind: 'compaction', key: second.compactionId, dueInMs: 60_000 });
      });
      expect(await compactions.findWaitersOfEndedCompactions(10)).toEqual([]);
      await runs.transact((tx) => tx.updateCompaction(PROJECT, second.compactionId, { ...end, sourceDigest: 'd2' }));
      expect(await compactions.findWaitersOfEndedCompactions(10)).toEqual([
        { projectId: PROJECT, runId: 'run_w', stepRunId: 'srn_w' },
      ]);
      expect(await compactions.getCompaction(PROJECT, first.compactionId)).toMatchObject({
        live: false,
        summary: 'sum\u0000',
      });
      expect(await compactions.getCompaction(PROJECT, second.compactionId)).toMatchObject({
        live: true,
        status: 'compacted',
      });
      const { maxSummaryChars } = first;
      const cached = { projectId: PROJECT, sourceDigest: end.sourceDigest, maxSummaryChars, model: 'm1' };
      expect(await compactions.findCachedSummary(cached)).toEqual({ summary: 'sum\u0000', extractive: false });
      expect(await compactions.findCachedSummary({ ...cached, model: 'm2' })).toBeNull();
      expect(await compactions.findCachedSummary({ ...cached, maxSummaryChars: maxSummaryChars + 1 })).toBeNull();
      await runs.transact((tx) =>
        tx.updateCompaction(PROJECT, first.compactionId, { status: 'rolled_back', live: false }),
      );
      expect(await compactions.findCachedSummary(cached)).toBeNull();
    });

    it('bills each call and keeps a paid summary under the fence only', async () => {
      const one = compaction();
      await insert(one);
      const claim = { compactionId: one.compactionId, dispatchNo: 1, workerId: 'w1', leaseMs: 60_000 };
      const claimed = await compactions.claimCompaction(claim);
      const at = { projectId: PROJECT, compactionId: one.compactionId, fence: claimed?.fence ?? -1 };
      const usage = { inputTokens: 10, cachedTokens: 4, outputTokens: 2, costUsd: 0.5, modelCalls: 1 };
      expect(await compactions.recordCompactionCall({ ...at, usage })).toBe(true);
      expect(await compactions.recordCompactionCall({ ...at, usage })).toBe(true);
      const kept = { sourceDigest: randomUUID(), model: 'm1', summary: 'kept\u0000' };
      expect(await compactions.keepSummary({ ...at, ...kept })).toBe(true);
      const late = { ...at, fence: at.fence - 1 };
      expect(await compactions.recordCompactionCall({ ...late, usage })).toBe(false);
      expect(await compactions.keepSummary({ ...late, ...kept, summary: 'late' })).toBe(false);
      expect((await compactions.getCompaction(PROJECT, one.compactionId))?.usage).toEqual({
        inputTokens: 20,
        cachedTokens: 8,
        outputTokens: 4,
        costUsd: 1,
        modelCalls: 2,
      });
      const { maxSummaryChars } = one;
      const query = { projectId: PROJECT, sourceDigest: kept.sourceDigest, maxSummaryChars, model: 'm1' };
      expect(await compactions.findCachedSummary(query)).toEqual({ summary: 'kept\u0000', extractive: false });
    });
  });
});
