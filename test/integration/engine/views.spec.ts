import { retryRun } from '../../../libs/engine/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  for (const mode of ['fresh', 'inherit']) {
    await harness.apply({
      name: mode,
      inputs: { text: { type: 'string', required: true } },
      defaults: { model: `scripted:${mode}`, retry: { max_attempts: 2, backoff: '1ms', jitter: false } },
      agents: { helper: { system_prompt: 'Help.' } },
      steps: [{ id: 'work', agent: 'helper', task: '${inputs.text}', context: { mode } }],
    });
  }
});
afterAll(() => harness.close());

/** What the model saw in its last call, one line a message. */
function lastSeen(script: string): string[] {
  const call = harness.scripts.calls(script).at(-1);
  return (
    call?.request.messages.map(
      (message) =>
        `${message.role}: ${message.content.map((part) => (part.type === 'text' ? part.text : part.type)).join('')}`,
    ) ?? []
  );
}

async function tenRuns(mode: string, streamId: string): Promise<void> {
  harness.scripts.set(mode, { steps: { work: [{ text: 'answer to {{last_user}}' }] } });
  for (let run = 1; run <= 10; run += 1) await harness.run(mode, { text: `question ${run}` }, { streamId });
}

it('shows an inherit step all earlier runs in order, the current task last', async () => {
  await tenRuns('inherit', 'inherit-stream');
  await harness.run('inherit', { text: 'the last one' }, { streamId: 'inherit-stream' });
  const expected = Array.from({ length: 10 }, (_, index) => [
    `user: question ${index + 1}`,
    `assistant: answer to question ${index + 1}`,
  ]).flat();
  expect(lastSeen('inherit')).toEqual([...expected, 'user: the last one']);
});

it('shows a fresh step nothing of ten earlier runs, also after a retry', async () => {
  await tenRuns('fresh', 'fresh-stream');
  harness.scripts.set('fresh', { steps: { work: [[{ failure: { class: 'server_error' } }, { text: 'second try' }]] } });
  const runId = await harness.start('fresh', { text: 'only this' }, { streamId: 'fresh-stream' });
  await harness.queue.drain(harness.deps);
  expect(lastSeen('fresh')).toEqual(['user: only this']);
  expect(await harness.runRecord(runId)).toMatchObject({ status: 'waiting' });
  await harness.untilEnded(runId);
  expect(lastSeen('fresh')).toEqual(['user: only this']);
  expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'second try' });
});

it('shows a fresh step nothing of earlier runs after it was released by a shutdown in the middle', async () => {
  await tenRuns('fresh', 'released-stream');
  const worker = harness.secondWorker();
  let calls = 0;
  harness.scripts.set('fresh', () => {
    calls += 1;
    // The process begins to drain while the first call is under way.
    if (calls === 1) worker.held.drain();
    return calls === 1 ? { tool_calls: [{ name: 'nothing' }] } : { text: 'after the release' };
  });
  const runId = await harness.start('fresh', { text: 'only this' }, { streamId: 'released-stream' });
  await harness.queue.drain(worker);
  await harness.queue.drain(harness.deps);
  await harness.untilEnded(runId);
  expect(await harness.runRecord(runId)).toMatchObject({ status: 'succeeded', output: 'after the release' });
  expect(lastSeen('fresh')[0]).toBe('user: only this');
  expect(lastSeen('fresh').join('\n')).not.toContain('question');
  const [step] = await harness.deps.runs.stepRunsOf('prj_test', runId);
  expect(step).toMatchObject({ attempt: 1, releases: 1, starts: 2 });
  // Nothing was cut off: the first call had ended.
  const released = (await harness.events('released-stream')).filter(({ type }) => type === 'StepReleased');
  expect(released.map(({ data }) => data)).toEqual([{ reason: 'hand_off' }]);
});

it('shows a fresh step nothing of other runs when it is retried after they wrote, also under a version that changed the mode', async () => {
  const document = (mode: string) => ({
    name: 'changing',
    inputs: { text: { type: 'string', required: true } },
    defaults: { model: 'scripted:changing', retry: { max_attempts: 1 } },
    agents: { helper: { system_prompt: 'Help.' } },
    steps: [{ id: 'work', agent: 'helper', task: '${inputs.text}', context: { mode } }],
  });
  await harness.apply(document('inherit'));
  harness.scripts.set('changing', {
    steps: { work: [[{ failure: { class: 'invalid_request' } }, { text: 'mended' }]] },
  });
  const failed = await harness.run('changing', { text: 'mine' }, { streamId: 'changing' });
  expect(failed.status).toBe('failed');
  await harness.apply(document('fresh'));
  harness.scripts.set('changing', { steps: { work: [{ text: 'another answer' }] } });
  await harness.run('changing', { text: 'another question' }, { streamId: 'changing' });
  harness.scripts.set('changing', { steps: { work: [[{ text: 'unused' }, { text: 'mended' }]] } });
  const retry = { projectId: PROJECT, runId: failed.runId, version: 'live' as const };
  expect(await retryRun(harness.deps, retry)).toMatchObject({ status: 'retried', version: 2 });
  await harness.queue.drain(harness.deps);
  expect(await harness.runRecord(failed.runId)).toMatchObject({ status: 'succeeded', output: 'mended' });
  expect(lastSeen('changing')).toEqual(['user: mine']);
});
