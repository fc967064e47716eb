import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatPipeline, startTestApi, type TestApi } from '../api/test-api.js';
import { runWeir } from './run-weir.js';

let api: TestApi;
let folder: string;
const weir = (...argv: string[]) => runWeir({ url: api.url, key: api.token }, ...argv);
const write = (name: string, lines: readonly unknown[]): string => {
  const file = join(folder, name);
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return file;
};
const talk = (question: string) => [
  { role: 'user', content: question },
  { role: 'assistant', content: `About ${question}.` },
];

beforeAll(async () => {
  api = await startTestApi();
  folder = mkdtempSync(join(tmpdir(), 'weir-conversations-'));
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

describe('weir import and export', () => {
  it('move many conversations, go on after a fault, and change nothing when done again', async () => {
    const file = write('many.ndjson', [
      { stream_id: 'a', step_id: 'answer', source_id: '1', memory: { k: 1 }, transcript: talk('apples') },
      '{"stream_id": "b"',
      { stream_id: 'c', source_id: '3', messages: talk('cherries') },
    ]);
    const planned = await weir('import', file, '--step', 'answer', '--dry-run', '--json');
    expect(planned.lines.at(-1)).toEqual({ event: 'total', imported: 0, unchanged: 0, would_import: 2, refused: 1 });
    const first = await weir('import', file, '--step', 'answer', '--json');
    expect(first.code).toBe(1);
    expect(first.lines).toMatchObject([
      { event: 'conversation', line: 1, stream_id: 'a', status: 'imported' },
      { event: 'conversation', line: 2, status: 'refused', detail: expect.stringContaining('not JSON') },
      { event: 'conversation', line: 3, stream_id: 'c', status: 'imported' },
      { event: 'total', imported: 2, refused: 1 },
    ]);
    const again = await weir('import', file, '--step', 'answer', '--from-line', '3', '--json');
    expect(again.code).toBe(0);
    expect(again.lines.at(-1)).toMatchObject({ imported: 0, unchanged: 1, refused: 0 });

    const exported = await weir('export', '--prefix', '');
    const lines = exported.out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).stream_id)).toEqual(['a', 'c']);
    const moved = write(
      'moved.ndjson',
      lines.map((line) => ({ ...JSON.parse(line), stream_id: `moved-${JSON.parse(line).stream_id}` })),
    );
    expect((await weir('import', moved)).out).toContain('2 imported');
    const copy = JSON.parse((await weir('export', 'moved-a')).out);
    expect({ ...copy, stream_id: 'a', source_id: 'weir:a:step:answer' }).toMatchObject({
      memory: { k: 1 },
      transcript: { messages: JSON.parse(lines[0] ?? '').transcript.messages },
    });
  });

  it('say how they are called', async () => {
    expect((await weir('export')).code).toBe(2);
    expect((await weir('import', join(folder, 'missing.json'))).code).toBe(2);
    const one = write('one.json', [JSON.stringify(talk('x'))]);
    const nowhere = await weir('import', one, '--step', 'answer');
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('--stream-id')]);
  });
});

describe('weir promote', () => {
  it('goes back and forward, and gives a version a share of new runs', async () => {
    for (const text of ['one', 'two'])
      await api.ask('/v1/pipelines/chat', {
        method: 'PUT',
        body: { ...chatPipeline('chat'), description: text },
      });
    expect((await weir('promote', 'chat@1', '--json')).lines).toEqual([
      { event: 'promoted', name: 'chat', alias: 'live', version: 1, weight: 100 },
    ]);
    expect((await weir('promote', 'chat@2', '--canary', '10')).out).toContain('chat@2  canary, 10 % of new runs');
    const { body } = await api.ask('/v1/pipelines/chat');
    expect(body.aliases).toMatchObject({ live: { version: 1 }, canary: { version: 2, weight: 10 } });
    expect((await weir('promote', 'chat')).code).toBe(2);
    expect((await weir('promote', 'chat@9')).code).toBe(1);
  });
});

describe('weir schema', () => {
  it('prints what editors check pipelines with', async () => {
    const schema = JSON.parse((await weir('schema')).out);
    expect(schema).toMatchObject({ type: 'object', properties: { steps: expect.anything() } });
  });
});

describe('weir replay', () => {
  it('refuses a stream with a past', async () => {
    const file = join(process.cwd(), 'test/fixtures/transcripts/vcr-anthropic-parallel4.json');
    expect(readFileSync(file, 'utf8')).not.toBe('');
    const refused = await weir('replay', file, '--stream-id', 'a');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('has a past')]);
  });
});
