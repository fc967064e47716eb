import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chatPipeline, startTestApi, type TestApi } from '../api/test-api.js';
import { runWeir } from './run-weir.js';
import { waitFor } from '../../support/index.js';

let api: TestApi;
let folder: string;
const weir = (...argv: string[]) => runWeir({ url: api.url, key: api.token }, ...argv);

beforeAll(async () => {
  api = await startTestApi();
  api.scripts.set('chat', { replies: [{ text: 'Hello \u001b[31mthere.' }], after_last: 'repeat' });
  api.scripts.set('broken', {
    replies: [{ failure: { class: 'authentication', detail: 'no such key' } }],
    after_last: 'repeat',
  });
  folder = mkdtempSync(join(tmpdir(), 'weir-cli-'));
  for (const name of ['chat', 'broken'])
    writeFileSync(join(folder, `${name}.yml`), JSON.stringify(chatPipeline(name, name)));
  writeFileSync(
    join(folder, 'faulty.yml'),
    'name: faulty\nsteps:\n  - { id: a, agent: nobody, task: x }\n  - { id: b, depends_on: [c], transform: 1 }\n',
  );
  writeFileSync(join(folder, 'broken-yaml.yml'), 'name: [');
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** Runs a command that waits for a run, and the run's jobs beside it. */
async function withWork<T>(command: Promise<T>): Promise<T> {
  let isOver = false;
  void command.finally(() => (isOver = true));
  while (!isOver) {
    await api.work();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return command;
}

describe('weir', () => {
  it('applies and validates documents, in words and in lines', async () => {
    expect(await weir('validate', '-f', join(folder, 'chat.yml'))).toMatchObject({
      code: 0,
      out: expect.stringContaining('chat  valid'),
    });
    expect(
      (await weir('apply', '-f', join(folder, 'chat.yml'), join(folder, 'broken.yml'), '--json')).lines,
    ).toMatchObject([
      { event: 'applied', name: 'chat', version: 1, created: true, promoted: true },
      { event: 'applied', name: 'broken', version: 1 },
    ]);
    expect((await weir('apply', '-f', join(folder, 'chat.yml'))).out).toContain('chat@1  unchanged');
  });

  it('says of YAML that nobody can read what is wrong, whichever command reads it', async () => {
    const hostile = join(folder, 'deep.yml');
    writeFileSync(hostile, `name: ${'['.repeat(20_000)}`);
    for (const argv of [
      ['validate', '-f', hostile],
      ['hooks', 'put', 'h', '-f', hostile],
      ['preview', 'talk', '--policy', hostile],
    ])
      expect(await weir(...argv)).toMatchObject({
        code: 1,
        err: expect.stringContaining('nested too deep to be read'),
      });
  });

  it('lets nothing that others wrote steer the terminal', async () => {
    const held = { name: 'held', inputs: { what: { type: 'string' } } };
    const steps = [{ id: 'ask', approval: { prompt: '${inputs.what}' } }];
    await api.ask('/v1/pipelines/held', { method: 'PUT', body: { ...held, steps } });
    const what = 'Pay 1 EUR\u001b[2K\u001b]0;owned\u0007\u009b1A\u202eRUE 0001 yaP\r';
    await api.ask('/v1/pipelines/held/runs', { method: 'POST', body: { inputs: { what } } });
    await api.work();
    const shown = await weir('approvals');
    expect(shown.out).toContain('Pay 1 EUR�[2K�]0;owned��1A�RUE 0001 yaP�');
    expect(shown.out).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u);
    const listed = await weir('approvals', '--json');
    expect(listed.out).not.toMatch(/[^\P{Cc}\n]/u);
    expect(JSON.stringify(listed.lines)).toContain(JSON.stringify(what).slice(1, -1));
    const missing = await weir('show', `run_\u001b[2J`);
    expect(missing).toMatchObject({ code: 1, err: expect.not.stringContaining('\u001b') });
  });

  it('shows what an approval needs, and says so where it is missing', async () => {
    const form = { type: 'object', required: ['amount'] };
    const steps = [{ id: 'ask', approval: { prompt: 'Refund?', form } }];
    await api.ask('/v1/pipelines/formal', { method: 'PUT', body: { name: 'formal', steps } });
    await api.ask('/v1/pipelines/formal/runs', { method: 'POST', body: {} });
    await api.work();
    const { out } = await weir('approvals');
    expect(out).toContain(`Refund?\n  needs --form with ${JSON.stringify(form)}`);
    const [, id = ''] = /(apr_[\w-]+)(?:(?!apr_)[^])*Refund\?/.exec(out) ?? [];
    expect((await weir('approve', id)).err).toContain(`found no form, expected ${JSON.stringify(form)}`);
    expect((await weir('approve', id, '--form', '{"amount": 1}')).code).toBe(0);
  });

  it('prints every fault of a document with its pointer and exits with 1', async () => {
    const answer = await weir('validate', '-f', join(folder, 'faulty.yml'), '--json');
    expect(answer).toMatchObject({ code: 1, lines: [{ event: 'failed', code: 'pipeline_invalid', exit_code: 1 }] });
    expect(answer.err).toContain('#/steps/0/agent');
    expect(answer.err).toContain('#/steps/1/depends_on/0');
    expect((await weir('apply', '-f', join(folder, 'broken-yaml.yml'))).code).toBe(1);
  });

  it('runs a pipeline and watches it to its end', async () => {
    const watched = await withWork(
      weir('run', 'chat', '-i', 'message=hi there', '--stream-id', 'talk', '--watch', '--json'),
    );
    expect(watched.code).toBe(0);
    expect(watched.lines[0]).toMatchObject({
      event: 'event',
      data: { type: 'RunCreated', data: { inputs: { message: 'hi there' } } },
    });
    expect(watched.lines.at(-1)).toMatchObject({
      event: 'ended',
      status: 'succeeded',
      output: expect.stringContaining('there.'),
    });
    const failed = await withWork(weir('run', 'broken', '-i', 'message=hi', '--watch'));
    expect(failed.code).toBe(1);
    expect(failed.out).toContain('RunFailed');
    expect(failed.out).toMatch(/broken@1 {2}failed/);
  });

  it('never lets a model steer the terminal, and writes no colours where there is none', async () => {
    const watched = await withWork(weir('run', 'chat', '-i', 'message=hi', '--watch'));
    expect(watched.out).toContain('Hello');
    expect(watched.out).not.toContain('\u001b');
  });

  it('shows, explains, lists and takes apart a run', async () => {
    const started = await weir('run', 'chat', '-i', 'message:="hi"', '--stream-id', 'talk', '--tag', 'shown', '--json');
    const run: string = started.lines[0].run_id;
    expect(started.lines[0]).toMatchObject({ event: 'started', stream_id: 'talk', status: 'queued' });
    await api.work();
    const shown = (await weir('show', run)).out;
    expect(shown).toMatch(/succeeded[\s\S]*answer +agent +succeeded[\s\S]*output\nHello/);
    expect(shown).toMatch(/CONTEXT of answer: inherit\n {2}window +observation_window 2, soft_cap_chars 40,000/);
    expect(shown).toMatch(/\n {2}budget +off\n {2}blocks +off\n {2}compaction +mode async, model none/);
    expect((await weir('show', run, '--json')).lines).toMatchObject([
      {
        event: 'run',
        id: run,
        status: 'succeeded',
        contexts: [
          { steps: ['answer'], policy: { mode: 'inherit', window: { hard_cap_chars: 80_000 }, budget: null } },
        ],
      },
    ]);
    expect((await weir('explain', run)).out).toContain('answer  succeeded');
    expect((await weir('runs', '--tag', 'shown', '--json')).lines).toMatchObject([{ event: 'run', id: run }]);
    expect((await weir('runs', '--tag', 'shown')).out).toMatch(/RUN +PIPELINE +STATUS/);
    // The feed is behind the oldest transaction of the whole server, and other tests have theirs.
    const events = await waitFor(async () => {
      const read = await weir('events', run, '--json');
      return read.lines.at(-1)?.data.type === 'RunSucceeded' ? read : null;
    });
    expect(events.lines.map((line) => line.data.type)).toEqual(expect.arrayContaining(['RunCreated', 'RunSucceeded']));
    const after = await weir('events', run, '--follow', '--after', events.lines.at(-2).data.cursor, '--json');
    expect(after.lines.map((line) => line.data.type)).toEqual(['RunSucceeded']);
    expect((await weir('events', 'talk:step:answer', '--after', '2', '--json')).lines[0].data.seq).toBe(3);
    expect((await weir('events', 'talk', '--after', 'x')).code).toBe(2);
    const context = await weir('context', run, 'answer', '--why', '--diff');
    expect(context.out).toMatch(
      /answer call 1 +scripted:chat +rebuilt equal[\s\S]*STAGE[\s\S]*same as in the request before/,
    );
    expect((await weir('context', run, 'answer', '1', '--json')).lines).toMatchObject([
      { event: 'context', rebuilt: 'equal' },
    ]);
  });

  it('tells of := where text was given for another type', async () => {
    const inputs = { n: { type: 'integer' }, list: { type: 'array' }, text: { type: 'string', max_length: 1 } };
    const steps = [{ id: 'a', transform: '${inputs.n}' }];
    await api.ask('/v1/pipelines/typed', { method: 'PUT', body: { name: 'typed', inputs, steps } });
    const refused = await weir('run', 'typed', '-i', 'n=3', '-i', 'list=[1]', '-i', 'text=long', '--json');
    expect(refused).toMatchObject({ code: 1, lines: [{ event: 'failed', code: 'invalid_inputs' }] });
    expect(refused.err).toContain('#/inputs/n: inputs.n: found "3", expected a whole number.');
    expect(refused.err).toMatch(/ := as in -i n:=… -i list:=…\n$/);
    expect((await weir('run', 'typed', '-i', 'n=3', '-i', 'list:=1')).err).toMatch(/ := as in -i n:=…\n$/);
    expect((await weir('run', 'typed', '-i', 'text=long')).err).not.toContain(':=');
    expect((await weir('run', 'typed', '-i', 'n:=3', '-i', 'list:=[1]')).code).toBe(0);
  });

  it('says which items a step has, and takes one as weir show writes it', async () => {
    const judge = { id: 'judge', agent: 'a', task: '${item}', context: { mode: 'fresh' } };
    const mapped = {
      name: 'mapped',
      defaults: { model: 'scripted:chat' },
      agents: { a: {} },
      steps: [{ id: 'check', for_each: ['one', 'two'], do: { steps: [judge] } }],
    };
    await api.ask('/v1/pipelines/mapped', { method: 'PUT', body: mapped });
    const { lines } = await weir('run', 'mapped', '--json');
    const run: string = lines[0].run_id;
    await api.work();
    expect((await weir('context', run, 'judge')).err).toBe(
      `weir: Step judge of run ${run} is done once per item and has items 0 to 1: name one as item (weir context: --item 0).\n`,
    );
    expect((await weir('context', run, 'judge', '1', '--json')).lines).toMatchObject([{ code: 'step_not_found' }]);
    expect((await weir('context', run, 'judge[2]')).err).toBe(
      `weir: Step judge, item 2, of run ${run} does not exist: it has items 0 to 1.\n`,
    );
    for (const place of [['judge', '--item', '1'], ['judge[1]']])
      expect((await weir('context', run, ...place, '--json')).lines).toMatchObject([{ item: 1, call: 1 }]);
    expect((await weir('context', run, 'judge[1]', '2', '--json')).lines).toMatchObject([{ code: 'call_not_found' }]);
    expect((await weir('context', run, 'check')).err).toContain(
      `Step check of run ${run} is a for_each: only agent steps call models. See weir show ${run}.`,
    );
    expect((await weir('context', run, 'nothing')).err).toContain('does not exist in this project');
  });

  it('cancels a run once', async () => {
    const run: string = (await weir('run', 'chat', '-i', 'message=hi', '--json')).lines[0].run_id;
    expect((await weir('show', run)).out).toMatch(
      /why +Queued for a worker: answer\.\nsince +2\d{3}-[\s\S]*next +The next free worker starts it\.\n[\s\S]*can +cancel, pause/,
    );
    expect((await weir('cancel', run, '--reason', 'enough', '--json')).lines).toMatchObject([
      { event: 'cancelled', run_id: run, status: 'cancelled' },
    ]);
    await api.work();
    expect((await weir('show', run)).out).toContain('cancelled');
  });

  it('retries a failed run, verifies streams and lists compactions', async () => {
    api.scripts.set('mended', [{ failure: { class: 'authentication', detail: 'no such key' } }]);
    writeFileSync(join(folder, 'mended.yml'), JSON.stringify(chatPipeline('mended', 'mended')));
    await weir('apply', '-f', join(folder, 'mended.yml'));
    const failed = await withWork(
      weir('run', 'mended', '-i', 'message=hi', '--stream-id', 'mended', '--watch', '--json'),
    );
    expect(failed.code).toBe(1);
    api.scripts.set('mended', { replies: [{ text: 'Fine.' }], after_last: 'repeat' });
    const run: string = failed.lines.at(-1).run_id;
    expect((await weir('show', run)).out.match(/no such key/g)).toHaveLength(1);
    expect((await weir('retry', run, '--live', '--json')).lines).toMatchObject([
      { event: 'retried', run_id: run, steps: ['answer'] },
    ]);
    await api.work();
    expect((await weir('show', run)).out).toContain('Fine.');
    expect((await weir('retry', run)).code).toBe(1);
    expect(await weir('verify', 'mended', '--json')).toMatchObject({
      code: 0,
      lines: [{ event: 'verified', ok: true, contexts: { corrupt: 0 } }],
    });
    expect((await weir('verify', 'mended')).out).toMatch(/mended {2}ok {2}\d+ events in 2 logs/);
    expect((await weir('compactions')).out).toBe('No compactions.\n');
    expect((await weir('compactions', 'cmp_none')).code).toBe(1);
  });

  it('exits with 1 for what the server refuses, 2 for wrong usage, 3 when nobody answers', async () => {
    expect((await weir('show', 'run_none')).code).toBe(1);
    expect((await weir('run', 'chat', '-i', 'message')).code).toBe(2);
    expect((await weir('runs', '--limit', '0')).code).toBe(2);
    expect((await weir('validate', '-f', join(folder, 'missing.yml'))).code).toBe(2);
    const refused = await runWeir({ url: api.url, key: 'weir_wrong' }, 'runs', '--json');
    expect(refused).toMatchObject({ code: 1, lines: [{ event: 'failed', code: 'key_invalid' }] });
    const closed = await startTestApi();
    await closed.close();
    const nobody = await runWeir({ url: closed.url, key: closed.token }, 'runs', '--json');
    expect(nobody).toMatchObject({ code: 3, lines: [{ event: 'failed', code: 'unreachable', exit_code: 3 }] });
  });

  it('ends quietly when its reader has gone', () => {
    const launcher = fileURLToPath(new URL('../../../apps/cli/bin/weir.mjs', import.meta.url));
    const { stderr } = spawnSync('sh', ['-c', '"$0" "$1" --help | true', process.execPath, launcher], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: undefined, NODE_ENV: undefined },
    });
    expect(stderr).not.toContain('EPIPE');
  });
});
