import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataDir, startUp, waitFor, type ReadyLine, type WeirUp } from '../support/index.js';

type Call = { call: number; run_id: string; pid: number };
type ApiEvent = {
  type: string;
  entry: number | null;
  data: { call_no?: number; ordinal?: number; context_hash?: string };
};

const TURNS = 10;
const scripts = mkdtempSync(join(tmpdir(), 'weir-kill-'));
let dataDir: ReturnType<typeof createDataDir>;
let up: WeirUp;
let ready: ReadyLine;

/** Ten turns with a tool call each, then an answer; at call `pauseAt` the model waits until the test lets it go. */
function writeScript(name: string, pauseAt: number | null): void {
  const turns = Array.from({ length: TURNS }, (_, index) => ({
    text: `turn ${index + 1}`,
    tool_calls: [{ name: 'memory_write', arguments: { key: `k${index + 1}`, value: index + 1 } }],
    ...(index + 1 === pauseAt ? { touch_file: `${name}.reached`, wait_for_file: `${name}.go` } : {}),
  }));
  writeFileSync(
    join(scripts, `${name}.json`),
    JSON.stringify({ replies: [...turns, { text: 'all written' }], log_file: `${name}.log` }),
  );
}

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${ready.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${ready.api_key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

async function start(script: string): Promise<string> {
  await api('PUT', `/v1/pipelines/${script}`, {
    name: script,
    defaults: { model: `scripted:${script}` },
    agents: { writer: { system_prompt: 'Write.', tools: ['memory_write'] } },
    steps: [
      { id: 'work', agent: 'writer', task: 'Write ten things.' },
      { id: 'after', depends_on: ['work'], transform: { said: '${steps.work.output}' } },
    ],
    output: '${steps.after.output}',
  });
  return (await api<{ id: string }>('POST', `/v1/pipelines/${script}/runs`, { inputs: {} })).id;
}

const ended = (runId: string): Promise<{ status: string; output: unknown }> =>
  waitFor(
    async () => {
      const run = await api<{ status: string; output: unknown; ended_at: string | null }>('GET', `/v1/runs/${runId}`);
      return run.ended_at === null ? null : run;
    },
    { timeoutMs: 60_000, everyMs: 100, what: `the end of ${runId}` },
  );

const conversation = async (runId: string): Promise<ApiEvent[]> =>
  (
    await api<{ data: ApiEvent[] }>(
      'GET',
      `/v1/admin/streams/${encodeURIComponent(`${runId}:step:work`)}/events?limit=500`,
    )
  ).data;

/** Conversation entries and the hash of each call: what "equal to the undisturbed run" means. */
function comparable(events: readonly ApiEvent[]): unknown[] {
  const without = ({ duration_ms: _duration, model: _model, ...rest }: Record<string, unknown>): unknown => rest;
  return events.flatMap((event): unknown[] => {
    if (event.entry !== null) return [[event.type, event.entry, without(event.data)]];
    return event.type === 'LlmCallStarted' ? [[event.data.call_no, event.data.context_hash]] : [];
  });
}

const calls = (script: string): Call[] =>
  readFileSync(join(scripts, `${script}.log`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Call);

beforeAll(async () => {
  dataDir = createDataDir();
  up = startUp(dataDir.path, ['--no-demo', '--workers', '2'], {
    WEIR_SCRIPTS_DIR: scripts,
    WEIR_LEASE_S: '3',
    WEIR_HEARTBEAT_S: '0.5',
    WEIR_SWEEP_S: '0.5',
  });
  ready = await up.ready();
}, 180_000);
afterAll(async () => {
  up.kill('SIGTERM');
  await up.exited;
  dataDir.remove();
  rmSync(scripts, { recursive: true, force: true });
});

it('goes on on another worker after kill -9 in the middle of ten tool calls, as if nothing had happened', async () => {
  writeScript('undisturbed', null);
  const undisturbed = await start('undisturbed');
  expect(await ended(undisturbed)).toMatchObject({ status: 'succeeded', output: { said: 'all written' } });

  writeScript('killed', 6);
  const killed = await start('killed');
  await waitFor(() => existsSync(join(scripts, 'killed.reached')), { timeoutMs: 30_000 });
  const holder = calls('killed').at(-1)?.pid ?? 0;
  expect(ready.pids.worker).toContain(holder);
  process.kill(holder, 'SIGKILL');
  writeFileSync(join(scripts, 'killed.go'), '');
  expect(await ended(killed)).toMatchObject({ status: 'succeeded', output: { said: 'all written' } });

  const events = await conversation(killed);
  expect(comparable(events)).toEqual(comparable(await conversation(undisturbed)));
  const completed = events.filter((event) => event.type === 'LlmCallCompleted').map((event) => event.data.call_no);
  expect(completed).toEqual(Array.from({ length: TURNS + 1 }, (_, index) => index + 1));
  const results = events
    .filter((event) => event.type === 'ToolCallCompleted')
    .map((event) => `${event.data.call_no}/${event.data.ordinal}`);
  expect(new Set(results).size).toBe(TURNS);
  expect(results).toHaveLength(TURNS);
  // Only the call that was in flight was asked twice.
  expect(calls('killed').map(({ call }) => call)).toEqual([1, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10, 11]);
}, 120_000);
