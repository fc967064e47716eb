import 'reflect-metadata';
import { Worker } from 'bullmq';
import { requestStreamCompaction } from '../../../libs/engine/src/index.js';
import { describeRedis, testRedis, waitFor } from '../../../test/support/index.js';
import { Installation, PROJECT } from '../../../test/support/installation.js';
import { askLive, untilStalled } from '../../../test/support/liveness.js';
import { compactorApp } from './compactor-app.js';

const turns = ['first', 'second', 'third', 'fourth'];

describeRedis('a compactor that has stopped by itself', () => {
  let installation: Installation;
  /** Undoes what a test broke, so that the compactor can end. */
  let mend = (): void => undefined;

  beforeEach(async () => {
    const redis = await testRedis();
    installation = await Installation.open({
      ...{ REDIS_URL: redis.url, WEIR_QUEUE_PREFIX: redis.prefix },
      ...{ WEIR_STALL_S: '1', WEIR_LEASE_S: '6' },
    });
  });
  afterEach(async () => {
    mend();
    await installation.close();
  });

  /** A conversation, and the wish for a summary of it: the row's id. */
  async function requestCompaction(): Promise<string> {
    const { engine } = installation.accepting;
    const worker = await installation.worker();
    await installation.script('talk', { steps: { say: [{ text: 'A long answer. '.repeat(200) }] } });
    await installation.applyDocument({
      name: 'talk',
      inputs: { text: { type: 'string', required: true } },
      context: { compaction: { model: 'builtin:extractive' }, window: { min_tail_turns: 1 } },
      agents: { a: { model: 'scripted:talk', system_prompt: 'You answer.' } },
      steps: [{ id: 'say', agent: 'a', task: '${inputs.text}' }],
    });
    for (const text of turns) await installation.ended(await installation.startWith('talk', { text }, 'chat'));
    await worker.end();
    const place = { projectId: PROJECT, streamId: 'chat', stepId: 'say', item: null, runId: null, minTailTurns: null };
    const requested = await requestStreamCompaction(engine, place);
    if (requested.status !== 'requested') throw new Error(JSON.stringify(requested));
    return requested.compactionId;
  }

  const compacted = (compactionId: string): Promise<string> =>
    waitFor(async () => {
      const found = await installation.accepting.engine.compactions.getCompaction(PROJECT, compactionId);
      return found !== null && found.endedAt !== null ? found.status : null;
    });

  it('is not live when a turn of a loop never ends', async () => {
    const { runtime, healthUrl } = await installation.compactor();
    expect(await askLive(healthUrl)).toEqual({ status: 200, body: { status: 'live' } });
    const { compactions } = runtime.engine;
    const takeRunnableCompactions = compactions.takeRunnableCompactions.bind(compactions);
    let answer = (): void => undefined;
    compactions.takeRunnableCompactions = () => new Promise((resolve) => (answer = () => resolve([])));
    mend = () => {
      compactions.takeRunnableCompactions = takeRunnableCompactions;
      answer();
    };
    const { body } = await untilStalled(healthUrl);
    expect(body).toEqual({
      status: 'stalled',
      stalls: [expect.stringMatching(/^the loop compactions has not turned for \d+ s$/)],
    });
    mend();
    await waitFor(async () => (await askLive(healthUrl)).status === 200);
  });

  it('makes a consumer anew that was closed behind its back, which takes what waits', async () => {
    const { context, healthUrl } = await installation.compactor();
    const closed = context.get(compactorApp.processor).worker;
    await closed.close();
    expect(await compacted(await requestCompaction())).toBe('compacted');
    expect(context.get(compactorApp.processor).worker).not.toBe(closed);
    expect((await askLive(healthUrl)).status).toBe(200);
  });

  it('is not live when a consumer that was made anew takes nothing either', async () => {
    const { context, healthUrl } = await installation.compactor();
    await context.get(compactorApp.processor).worker.close();
    const compactionId = await requestCompaction();
    const run = Object.getOwnPropertyDescriptor(Worker.prototype, 'run');
    Worker.prototype.run = () => new Promise(() => undefined);
    mend = () => {
      Object.defineProperty(Worker.prototype, 'run', run ?? {});
    };
    const { body } = await untilStalled(healthUrl);
    expect(body.stalls).toEqual([expect.stringContaining('the consumer takes no jobs')]);
    const waiting = await installation.accepting.engine.compactions.getCompaction(PROJECT, compactionId);
    expect(waiting).toMatchObject({ status: 'requested', endedAt: null });
  });
});
