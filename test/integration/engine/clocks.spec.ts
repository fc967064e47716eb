import { checkSchedule, startRun, wakeDue } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

/** Of the processes' own clock. */
const HOUR = 3_600_000;

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'sleeper',
    inputs: { until: { type: 'string', required: true } },
    steps: [{ id: 'nap', sleep: '${inputs.until}' }],
  });
  await harness.apply({ name: 'simple', steps: [{ id: 'say', transform: 'said' }] });
  await harness.apply({
    name: 'failing',
    defaults: {
      model: 'scripted:clocks',
      timeout: '2h',
      retry: { max_attempts: 2, backoff: '10m', max_backoff: '10m', jitter: false },
    },
    agents: { a: { tools: ['child'] } },
    tools: { child: { kind: 'pipeline', description: 'A run.', pipeline: 'sleeper', timeout: '30m' } },
    steps: [{ id: 'work', agent: 'a', task: 'Go.' }],
  });
});
afterAll(() => harness.close());

/** A time of a row, which has microseconds. */
const toMs = (time: string | null): string | null => (time === null ? null : new Date(time).toISOString());
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe.each([
  ['behind', -HOUR],
  ['ahead', HOUR],
])('where the clock of a process is an hour %s', (_, wrongBy) => {
  beforeEach(() => {
    harness.deps.now = () => new Date(Date.now() + wrongBy);
  });

  const onlyStep = async (runId: string) => {
    const [row] = await harness.deps.runs.stepRunsOf(PROJECT, runId);
    if (row === undefined) throw new Error(`run ${runId} has no step`);
    return row;
  };
  const dueAtOf = async (runId: string, type: string): Promise<unknown> =>
    (await harness.events(runId)).find((event) => event.type === type)?.data;

  it('a sleep ends at its time, neither before nor after it', async () => {
    const until = inMs(10 * 60_000);
    const later = await harness.start('sleeper', { until });
    expect(toMs((await onlyStep(later)).dueAt)).toBe(until);
    expect(await dueAtOf(later, 'StepWaiting')).toMatchObject({ due_at: until });
    await wakeDue(harness.deps);
    expect((await harness.runRecord(later)).status).toBe('waiting');
    const past = await harness.start('sleeper', { until: inMs(-10 * 60_000) });
    await wakeDue(harness.deps);
    expect((await harness.runRecord(past)).status).toBe('succeeded');
  });

  it('a run is refused for a deadline that has passed, and for no other', async () => {
    const start = (deadlineAt: string) =>
      startRun(harness.deps, {
        ...{ projectId: PROJECT, pipeline: 'simple', version: null, inputs: {}, streamId: null, tags: [] },
        ...{ metadata: {}, priority: 0, deadlineAt, idempotencyKey: null },
      });
    expect((await start(inMs(10 * 60_000))).status).toBe('started');
    expect(await start(inMs(-10 * 60_000))).toMatchObject({ status: 'invalid', faults: [{ code: 'deadline_passed' }] });
  });

  it('a retry tells the time at which it comes', async () => {
    harness.scripts.set('clocks', { steps: { work: [{ failure: { class: 'server_error' } }] } });
    const { runId } = await harness.run('failing', {});
    const { dueAt } = await onlyStep(runId);
    expect(Math.abs(Date.parse(dueAt ?? '') - Date.now() - 10 * 60_000)).toBeLessThan(5 * 60_000);
    expect(await dueAtOf(runId, 'StepRetryScheduled')).toMatchObject({ due_at: toMs(dueAt) });
  });

  it('the run of a tool has the time that its tool has', async () => {
    harness.scripts.set('clocks', {
      steps: { work: [{ tool_calls: [{ name: 'child', arguments: { until: '1h' } }] }] },
    });
    const { runId } = await harness.run('failing', {});
    const [childId = ''] = await harness.deps.runs.openChildren([(await onlyStep(runId)).stepRunId]);
    const { deadlineAt } = await harness.runRecord(childId);
    expect(Math.abs(Date.parse(deadlineAt ?? '') - Date.now() - 30 * 60_000)).toBeLessThan(15 * 60_000);
  });

  it('a schedule has its next tick within its interval', async () => {
    const start = { pipeline: 'simple', version: null, inputs: {}, tags: [], metadata: {}, priority: 0 };
    const checked = await checkSchedule(harness.deps, {
      ...{ projectId: PROJECT, cron: '*/10 * * * *', timezone: 'UTC' },
      start: { ...start, stream_id: null },
    });
    const nextMs = Date.parse((checked.ok ? checked.nextAt : null) ?? '') - Date.now();
    expect(Math.abs(nextMs)).toBeLessThan(15 * 60_000);
  });
});
