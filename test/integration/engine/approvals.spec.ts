import { cancelRun, decideApproval, explainRun, wakeDue, type ApprovalRecord } from '../../../libs/engine/src/index.js';
import type { Json } from '../../../libs/domain/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

async function pendingApprovals(runId: string): Promise<ApprovalRecord[]> {
  const steps = await harness.deps.runs.stepRunsOf(PROJECT, runId);
  const found = await Promise.all(steps.map(({ stepRunId }) => harness.deps.runs.approvalsOfStep(PROJECT, stepRunId)));
  return found.flat().filter(({ status }) => status === 'pending');
}

async function firstPending(runId: string, stepId?: string): Promise<ApprovalRecord> {
  const approval = (await pendingApprovals(runId)).find((one) => stepId === undefined || one.stepId === stepId);
  if (approval === undefined) throw new Error(`nothing to decide in ${runId}`);
  return approval;
}

function decideOn({ approvalId }: ApprovalRecord, decision: 'approve' | 'deny', form: Json = null) {
  return decideApproval(harness.deps, {
    projectId: PROJECT,
    approvalId,
    decision,
    form,
    comment: 'seen',
    arguments: null,
    decidedBy: 'key_1',
  });
}

async function decide(runId: string, decision: 'approve' | 'deny', form: Json = null, stepId?: string) {
  return decideOn(await firstPending(runId, stepId), decision, form);
}

/** As if everything that is to be due were due now. */
async function makeDue(): Promise<void> {
  await harness.database.run(
    (sql) => sql`update wait set due_at = now() - interval '1 second' where due_at is not null`,
  );
  await wakeDue(harness.deps);
  await harness.queue.drain(harness.deps);
}

describe('an approval', () => {
  const form: Json = { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } };
  const document = (name: string, approval: { [key: string]: Json }): Json => ({
    name,
    steps: [
      { id: 'draft', transform: 'refund 5' },
      { id: 'ask', depends_on: ['draft'], approval: { prompt: 'Send ${steps.draft.output}?', ...approval } },
      {
        id: 'send',
        depends_on: ['ask'],
        when: 'steps.ask.output.decision == "approve"',
        transform: '${steps.ask.output}',
      },
    ],
  });
  beforeAll(async () => {
    await harness.apply(document('asks', { form }));
    for (const onTimeout of ['deny', 'approve', 'fail'])
      await harness.apply(document(`asks-${onTimeout}`, { timeout: '1h', on_timeout: onTimeout }));
  });

  it('waits for a person, checks the form, and hands on what was decided', async () => {
    const run = await harness.run('asks', {});
    expect(run.status).toBe('waiting');
    const [approval] = await pendingApprovals(run.runId);
    expect(approval).toMatchObject({ kind: 'step', prompt: 'Send refund 5?', form });
    const explained = await explainRun(harness.deps, PROJECT, run.runId);
    expect(explained).toMatchObject({
      status_reason: 'approval',
      blocked_on: [{ kind: 'approval', id: approval?.approvalId }],
    });
    await expectProjectionsEqualEvents(harness, run.runId);
    expect(await decide(run.runId, 'approve', { amount: 'much' })).toMatchObject({ status: 'invalid', field: 'form' });
    expect(await decide(run.runId, 'approve', { amount: 5 })).toMatchObject({ status: 'decided', repeated: false });
    await harness.queue.drain(harness.deps);
    expect(await harness.runRecord(run.runId)).toMatchObject({
      status: 'succeeded',
      output: { decision: 'approve', form: { amount: 5 }, comment: 'seen', decided_by: 'key_1' },
    });
    await expectProjectionsEqualEvents(harness, run.runId);
    const again = {
      projectId: PROJECT,
      approvalId: approval?.approvalId ?? '',
      comment: null,
      arguments: null,
      decidedBy: 'k',
    };
    expect(await decideApproval(harness.deps, { ...again, decision: 'approve', form: { amount: 5 } })).toMatchObject({
      status: 'decided',
      repeated: true,
    });
    expect(await decideApproval(harness.deps, { ...again, decision: 'deny', form: null })).toMatchObject({
      status: 'closed',
    });
  });

  it('takes one of two decisions that come at once, and the other learns of it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const run = await harness.run('asks', {});
      const approval = await firstPending(run.runId);
      const results = await Promise.all([decideOn(approval, 'approve', { amount: 1 }), decideOn(approval, 'deny')]);
      expect(results.map(({ status }) => status).sort()).toEqual(['closed', 'decided']);
      await harness.queue.drain(harness.deps);
      expect((await harness.runRecord(run.runId)).status).toBe('succeeded');
      await expectProjectionsEqualEvents(harness, run.runId);
    }
  });

  it('follows on_timeout when nobody decides, and a decision that comes too late changes nothing', async () => {
    const expected = {
      deny: { status: 'succeeded', output: null },
      approve: { status: 'succeeded', output: { decision: 'approve', form: null, comment: null, decided_by: null } },
      fail: { status: 'failed', error: { code: 'approval_timeout' } },
    };
    for (const [onTimeout, outcome] of Object.entries(expected)) {
      const run = await harness.run(`asks-${onTimeout}`, {});
      const [approval] = await pendingApprovals(run.runId);
      await makeDue();
      expect(await harness.runRecord(run.runId)).toMatchObject(outcome);
      const late = await decideApproval(harness.deps, {
        projectId: PROJECT,
        approvalId: approval?.approvalId ?? '',
        decision: onTimeout === 'approve' ? 'deny' : 'approve',
        form: null,
        comment: null,
        arguments: null,
        decidedBy: 'key_1',
      });
      expect(late.status).toBe('closed');
      await expectProjectionsEqualEvents(harness, run.runId);
    }
  });

  it('is closed with its run, which releases its stream while it waits', async () => {
    const asking = await harness.run('asks', {}, { streamId: 'shared' });
    const other = await harness.run('asks-deny', {}, { streamId: 'shared' });
    await decide(other.runId, 'deny');
    expect((await harness.runRecord(other.runId)).status).toBe('succeeded');
    const [approval] = await pendingApprovals(asking.runId);
    expect(await cancelRun(harness.deps, { projectId: PROJECT, runId: asking.runId, reason: null })).toEqual({
      status: 'cancelled',
    });
    expect(await harness.deps.runs.getApproval(PROJECT, approval?.approvalId ?? '')).toMatchObject({
      status: 'cancelled',
    });
    await expectProjectionsEqualEvents(harness, asking.runId);
  });

  it('waits for its turn on the stream when another run took it meanwhile', async () => {
    harness.scripts.set('holder', { steps: { work: [{ text: 'done' }] } });
    await harness.apply({
      name: 'holder',
      defaults: { model: 'scripted:holder' },
      agents: { a: {} },
      steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
    });
    const asking = await harness.run('asks', {}, { streamId: 'turns' });
    const holder = await harness.start('holder', {}, { streamId: 'turns' });
    expect((await harness.runRecord(holder)).status).toBe('running');
    await decide(asking.runId, 'approve', { amount: 1 });
    expect(await harness.runRecord(asking.runId)).toMatchObject({ status: 'waiting', statusReason: 'stream_busy' });
    expect(await explainRun(harness.deps, PROJECT, asking.runId)).toMatchObject({
      status_reason: 'stream_busy',
      blocked_on: [{ kind: 'run', id: holder }],
    });
    await harness.queue.drain(harness.deps);
    expect((await harness.runRecord(holder)).status).toBe('succeeded');
    expect(await harness.runRecord(asking.runId)).toMatchObject({ status: 'succeeded', statusReason: null });
    await expectProjectionsEqualEvents(harness, asking.runId);
  });

  it('is one of three that run side by side, decided in any order', async () => {
    await harness.apply({
      name: 'three',
      steps: ['a', 'b', 'c'].map((id) => ({ id, approval: { prompt: id } })),
      output: '${[steps.a.output.decision, steps.b.output.decision, steps.c.output.decision]}',
    });
    const run = await harness.run('three', {});
    await decide(run.runId, 'approve', null, 'c');
    await decide(run.runId, 'deny', null, 'a');
    expect((await harness.runRecord(run.runId)).status).toBe('waiting');
    await decide(run.runId, 'approve', null, 'b');
    expect(await harness.runRecord(run.runId)).toMatchObject({
      status: 'succeeded',
      output: ['deny', 'approve', 'approve'],
    });
    await expectProjectionsEqualEvents(harness, run.runId);
  });
});
