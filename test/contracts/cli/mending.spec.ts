import { buryStep } from '../api/bury-step.js';
import { chatPipeline, startTestApi, type TestApi } from '../api/test-api.js';
import { runWeir } from './run-weir.js';

/** Dead letters and erasure from the command line. */
let api: TestApi;
const weir = (...argv: string[]) => runWeir({ url: api.url, key: api.token }, ...argv);

beforeAll(async () => {
  api = await startTestApi();
  api.scripts.set('chat', { replies: [{ text: 'Hello.' }], after_last: 'repeat' });
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(() => api.close());

async function start(message: string, stream: string): Promise<string> {
  const body = { inputs: { message }, stream_id: stream };
  return (await api.ask('/v1/pipelines/chat/runs', { method: 'POST', body })).body.id;
}

describe('weir dead-letters', () => {
  it('lists, shows, redrives and discards steps that were given up', async () => {
    expect((await weir('dead-letters')).out).toBe('No dead letters.\n');
    const [first, second] = [await start('hi', 'first'), await start('hi', 'second')];
    const [mended, hopeless] = [await buryStep(api, first), await buryStep(api, second)];
    expect((await weir('dead-letters')).out).toMatch(
      new RegExp(`^DEAD LETTER +RUN.*\n${hopeless} +${second} +chat +answer.*\n${mended} +${first} `),
    );
    expect((await weir('dead-letters', 'list', '--limit', '1', '--json')).lines).toMatchObject([
      { event: 'dead_letter', id: hopeless, run_id: second, step_id: 'answer' },
    ]);
    expect((await weir('dead-letters', '--limit', '1')).out).toContain('more with --limit (now 1)');
    expect((await weir('dead-letters', 'show', mended)).out).toMatch(
      /dead_letter\nrun +run_.*\npipeline +chat\nstep +answer\n[\s\S]*lease_expiries: the step's worker died or hung 3 times/,
    );
    expect((await weir('explain', first)).out).toContain(`weir dead-letters redrive ${mended}`);
    expect((await weir('dead-letters', 'redrive', mended)).out).toBe(`${mended}  redriven; run ${first} running\n`);
    await api.work();
    expect((await weir('show', first)).out).toContain('succeeded');
    expect((await weir('dead-letters', 'discard', hopeless, '--json')).lines).toEqual([
      { event: 'discarded', id: hopeless, run_id: second, status: 'failed' },
    ]);
    expect((await weir('dead-letters', '--json')).lines).toEqual([]);
  });

  it('says so where there is no such dead letter, or no longer', async () => {
    const run = await start('hi', 'third');
    const letter = await buryStep(api, run);
    await weir('dead-letters', 'discard', letter);
    expect(await weir('dead-letters', 'redrive', letter)).toMatchObject({
      code: 1,
      err: expect.stringContaining('no dead letter; it was redriven or discarded'),
    });
    expect(await weir('dead-letters', 'show', letter, '--json')).toMatchObject({
      code: 1,
      lines: [{ event: 'failed', code: 'dead_letter_not_found' }],
    });
  });
});

describe('weir erase', () => {
  it('shows what would go, and erases with --yes alone', async () => {
    const run = await start('PLANT', 'talk');
    expect(await weir('erase', 'run', run, '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('only ended runs are erased'),
    });
    await api.work();
    expect(await weir('erase', 'run', run)).toMatchObject({
      code: 2,
      out: `${run}  chat@1  succeeded, of stream talk\n`,
      err: expect.stringContaining('nothing is erased without --yes'),
    });
    expect((await weir('show', run, '--json')).lines).toMatchObject([{ inputs: { message: 'PLANT' } }]);
    expect((await weir('erase', 'run', run, '--yes')).out).toBe(`${run}  erased\n`);
    expect((await weir('show', run, '--json')).lines).toMatchObject([{ inputs: {}, status_reason: 'erased' }]);
  });

  it('takes whole streams, and single conversations of them', async () => {
    await start('PLANT', 'chats');
    await api.work();
    expect((await weir('erase', 'stream', 'chats')).out).toMatch(/^chats {2}\d+ events, 2 entries of conversations\n$/);
    expect(await weir('erase', 'stream', 'chats:step:answer', '--yes', '--json')).toMatchObject({
      code: 0,
      lines: [{ event: 'erased', stream_id: 'chats:step:answer' }],
    });
    expect(JSON.stringify((await weir('events', 'chats:step:answer', '--json')).lines)).not.toContain('PLANT');
    expect((await weir('erase', 'stream', 'chats', '--yes')).out).toBe('chats  erased\n');
    expect((await weir('verify', 'chats')).out).toMatch(/chats {2}ok .* erased\)/);
    expect(await weir('erase', 'stream', 'nowhere', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('does not exist'),
    });
  });
});
