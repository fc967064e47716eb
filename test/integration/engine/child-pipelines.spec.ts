import { cancelRun, sweep } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';
import { waitFor } from '../../support/wait-for.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'inner',
    inputs: { n: { type: 'integer', required: true } },
    steps: [{ id: 'half', transform: '${10 / inputs.n}' }],
    output: { half: '${steps.half.output}' },
  });
  await harness.apply({
    name: 'outer',
    inputs: { n: { type: 'integer', required: true }, stream: { type: 'string', default: 'of-its-own' } },
    steps: [
      { id: 'call', pipeline: 'inner', inputs: { n: '${inputs.n}' }, stream_id: '${inputs.stream}' },
      { id: 'after', depends_on: ['call'], transform: '${steps.call.output.half + 1}' },
    ],
  });
});
afterAll(() => harness.close());

async function childOf(runId: string): Promise<string> {
  const [step] = (await harness.deps.runs.stepRunsOf(PROJECT, runId)).filter(({ kind }) => kind === 'pipeline');
  const children = await harness.database.run(
    (sql) => sql<{ run_id: string }[]>`select run_id from run where parent_step_run_id = ${step?.stepRunId ?? ''}`,
  );
  return children[0]?.run_id ?? '';
}

it('runs another pipeline as a step, and takes its output', async () => {
  const run = await harness.run('outer', { n: 2 });
  expect(run.error).toBeNull();
  expect(run).toMatchObject({ status: 'succeeded', output: 6 });
  const child = await harness.runRecord(await childOf(run.runId));
  expect(child).toMatchObject({ pipeline: 'inner', ancestors: [run.runId], streamId: 'of-its-own' });
  await expectProjectionsEqualEvents(harness, run.runId);
  await expectProjectionsEqualEvents(harness, child.runId);
});

it("has its child in its caller's trace, whether or not anything is traced here", async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const runId = await harness.start('outer', { n: 2 });
  await harness.database.run((sql) => sql`update run set traceparent = ${traceparent} where run_id = ${runId}`);
  await harness.queue.drain(harness.deps);
  expect(await harness.runRecord(await childOf(runId))).toMatchObject({ status: 'succeeded', traceparent });
});

it('fails with its child, naming it, and refuses the stream of a run around it', async () => {
  const run = await harness.run('outer', { n: 0 });
  expect(run).toMatchObject({ status: 'failed', error: { code: 'expression_failed', step_id: 'call' } });
  expect(run.error?.detail).toContain(await childOf(run.runId));
  await expectProjectionsEqualEvents(harness, run.runId);
  const same = await harness.run('outer', { n: 1, stream: 'mine' }, { streamId: 'mine' });
  expect(same).toMatchObject({ status: 'failed', error: { code: 'step_invalid' } });
});

it('refuses pipelines that call themselves without end', async () => {
  await harness.apply({ name: 'again', steps: [{ id: 'again', pipeline: 'again' }] });
  const runId = await harness.start('again', {});
  await harness.untilEnded(runId);
  const run = await harness.runRecord(runId);
  expect(run.status).toBe('failed');
  expect(run.error?.detail).toContain('8 deep');
  const [row] = await harness.database.run(
    (sql) => sql<{ count: number }[]>`select count(*)::integer as count from run where pipeline = 'again'`,
  );
  expect(row?.count).toBe(8);
});

it('cancels its child with itself, also when the one who should say so dies', async () => {
  await harness.apply({ name: 'waiting', steps: [{ id: 'ask', approval: { prompt: '?' } }] });
  await harness.apply({ name: 'around', steps: [{ id: 'call', pipeline: 'waiting' }] });
  const run = await harness.run('around', {});
  expect(run.status).toBe('waiting');
  const child = await childOf(run.runId);
  await cancelRun(harness.deps, { projectId: PROJECT, runId: run.runId, reason: null });
  expect((await harness.runRecord(child)).status).toBe('cancelled');
  await expectProjectionsEqualEvents(harness, run.runId);

  const second = await harness.run('around', {});
  const orphan = await childOf(second.runId);
  const dying = {
    ...harness.deps,
    runs: { ...harness.deps.runs, openChildren: () => Promise.reject(new Error('dead')) },
  };
  await cancelRun(dying, { projectId: PROJECT, runId: second.runId, reason: null });
  expect((await harness.runRecord(orphan)).status).toBe('waiting');
  await sweep(harness.deps);
  expect((await harness.runRecord(orphan)).status).toBe('cancelled');
});

it("pushes its child's first steps itself, also where they are dispatched as they are inserted", async () => {
  expect(harness.deps.admission.isCrowded).toBe(false);
  const run = await harness.run('outer', { n: 5 });
  expect(run).toMatchObject({ status: 'succeeded', output: 3 });
});

it('goes on by the sweeper when the end of its child was not told', async () => {
  const dying = { ...harness.deps, runs: { ...harness.deps.runs, getStepRun: () => Promise.resolve(null) } };
  const runId = await harness.start('outer', { n: 5 });
  await harness.queue.drain(dying);
  expect((await harness.runRecord(runId)).status).toBe('waiting');
  await sweep(harness.deps);
  await waitFor(async () => {
    await harness.queue.drain(harness.deps);
    return (await harness.runRecord(runId)).endedAt;
  });
  expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 3 });
});
