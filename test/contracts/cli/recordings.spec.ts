import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestApi, type TestApi } from '../api/test-api.js';
import { runWeir, type WeirAnswer } from './run-weir.js';

let api: TestApi;
let folder: string;
let policy: string;
const weir = (...argv: string[]) => runWeir({ url: api.url, key: api.token }, ...argv);
const transcript = (name: string) => fileURLToPath(new URL(`../../fixtures/transcripts/${name}.json`, import.meta.url));

beforeAll(async () => {
  api = await startTestApi();
  folder = mkdtempSync(join(tmpdir(), 'weir-recordings-'));
  policy = join(folder, 'policy.yml');
  writeFileSync(
    policy,
    'context:\n  window: { observation_window: 2, soft_cap_chars: 9000, hard_cap_chars: 60000 }\n  compaction: { max_summary_chars: 2000 }\n',
  );
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

/** Runs a command that starts runs, and their jobs beside it. */
async function withWork(command: Promise<WeirAnswer>): Promise<WeirAnswer> {
  let isOver = false;
  void command.finally(() => (isOver = true));
  while (!isOver) {
    await api.work();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return command;
}

const ofEvent = (answer: WeirAnswer, event: string) => answer.lines.filter((line) => line.event === event);

describe('weir preview', () => {
  it('says of each call what it would send, and adds it up', async () => {
    const preview = await weir(
      'preview',
      '--messages',
      transcript('vcr-anthropic-parallel4'),
      '--policy',
      policy,
      '--json',
    );
    expect(preview.code).toBe(0);
    expect(preview.lines).toMatchObject([
      { event: 'call', call: 1, message_index: 2, outcome: 'ready', messages: 1, common_prefix_chars: 0, lint: [] },
      { event: 'call', call: 2, message_index: 7, outcome: 'ready', messages: 6 },
      { event: 'total', calls: 2, over_hard_cap: 0, lint_violations: 0 },
    ]);
    const shown = await weir('preview', '--messages', transcript('vcr-anthropic-parallel4'));
    expect(shown.out).toMatch(/call +message +messages +chars/);
    expect(shown.out).toMatch(/2 calls\n +chars +1,211 of 1,211 unmanaged \(100%\)/);
  });

  it('writes the requests as the provider would get them', async () => {
    const out = join(folder, 'requests');
    const file = transcript('vcr-anthropic-parallel4');
    await weir('preview', '--messages', file, '--api-format', 'anthropic', '--messages-out', out, '--json');
    expect(readdirSync(out).sort()).toEqual(['00001.json', '00002.json']);
    const second = JSON.parse(readFileSync(join(out, '00002.json'), 'utf8'));
    expect(Object.keys(second)).toEqual(['api_format', 'system', 'messages', 'tools']);
    expect(second).toMatchObject({
      api_format: 'anthropic',
      messages: [
        { role: 'user' },
        { role: 'assistant' },
        { role: 'user', content: [{ type: 'tool_result' }, {}, {}, {}] },
      ],
    });
  });

  it('says what is wrong with its files and how it is called, with exit code 2', async () => {
    writeFileSync(join(folder, 'bad.yml'), 'window: { soft_cap_chars: "1000" }');
    writeFileSync(join(folder, 'bad.json'), '{"messages": [{"role": "robot"}]}');
    const file = transcript('tau-airline-33');
    const badPolicy = await weir('preview', '--messages', file, '--policy', join(folder, 'bad.yml'));
    expect(badPolicy).toMatchObject({ code: 2, err: expect.stringContaining('context.window.soft_cap_chars must be') });
    const badTranscript = await weir('preview', '--messages', join(folder, 'bad.json'));
    expect(badTranscript).toMatchObject({ code: 2, err: expect.stringContaining('messages.0') });
    expect((await weir('preview')).code).toBe(2);
    expect((await weir('preview', '--messages', file, '--model', 'nowhere:model')).code).toBe(2);
    expect((await weir('preview', '--messages', join(folder, 'none.json'))).code).toBe(2);
  });
});

describe('weir replay', () => {
  it('plays a session run by run; calls and total are those of the preview, also of the stream that it leaves', async () => {
    const file = transcript('tau-airline-33');
    const replay = await withWork(weir('replay', file, '--policy', policy, '--stream-id', 'tau', '--json'));
    expect(replay.code).toBe(0);
    const preview = await weir('preview', '--messages', file, '--policy', policy, '--json');
    const pinned = Object.keys(preview.lines[0]);
    const calls = ofEvent(replay, 'call').map((line) => Object.fromEntries(pinned.map((key) => [key, line[key]])));
    expect(calls).toEqual(ofEvent(preview, 'call'));
    for (const line of ofEvent(replay, 'call'))
      expect(line).toMatchObject({
        run_id: expect.stringMatching(/^run_/),
        step_id: 'replay',
        attempt: 1,
        rebuilt: 'equal',
      });
    const runs = ofEvent(replay, 'run');
    expect(runs.map(({ user_index, status }) => [user_index, status])).toHaveLength(8);
    const [total] = ofEvent(preview, 'total');
    const cancelled = runs.filter(({ status }) => status === 'cancelled').length;
    expect(ofEvent(replay, 'total')).toEqual([{ ...total, runs: 8, cancelled, failed: 0 }]);
    expect(total.compactions).toBeGreaterThan(0);

    const stream = await weir('preview', 'tau', '--policy', policy, '--json');
    expect(ofEvent(stream, 'total')).toEqual([total]);
    const verified = await weir('verify', 'tau', '--json');
    expect(verified).toMatchObject({
      code: 0,
      lines: [{ ok: true, calls: total.calls, contexts: { equal: total.calls } }],
    });
  });

  it('shows a call that is over the hard cap, and ends with exit code 1', async () => {
    const file = join(folder, 'long.json');
    const messages = [
      { role: 'user', content: 'x'.repeat(3_000) },
      { role: 'assistant', content: 'read' },
    ];
    writeFileSync(file, JSON.stringify({ messages }));
    const tight = join(folder, 'tight.yml');
    writeFileSync(
      tight,
      'window: { soft_cap_chars: 1000, hard_cap_chars: 2000 }\ncompaction: { max_summary_chars: 500 }',
    );
    const replay = await withWork(weir('replay', file, '--policy', tight, '--json'));
    expect(replay.code).toBe(1);
    expect(replay.lines).toMatchObject([
      { event: 'run', user_index: 0, status: 'failed' },
      { event: 'call', call: 1, message_index: 1, outcome: 'over_hard_cap', chars: 0, chars_unmanaged: 3_000 },
      { event: 'total', calls: 1, over_hard_cap: 1, chars: 0, cost: 0, runs: 1, cancelled: 0, failed: 1 },
    ]);
  });
});
