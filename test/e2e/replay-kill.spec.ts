import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDataDir, startUp, waitFor, type ReadyLine, type WeirUp } from '../support/index.js';

type Line = { event: string; call?: number; outcome?: string; context_hash?: string; [key: string]: unknown };

const launcher = fileURLToPath(new URL('../../apps/cli/bin/weir.mjs', import.meta.url));
const transcript = fileURLToPath(new URL('../fixtures/transcripts/openhands-pony-103.json', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'weir-replay-'));
const policy = join(scratch, 'policy.json');
let dataDir: ReturnType<typeof createDataDir>;
let up: WeirUp;
let ready: ReadyLine;

/** Runs a command of `weir` and gives its JSON lines. */
async function weir(args: readonly string[]): Promise<Line[]> {
  const child = spawn(process.execPath, [launcher, ...args, '--json'], {
    env: {
      ...process.env,
      NODE_OPTIONS: undefined,
      NODE_ENV: undefined,
      WEIR_URL: ready.url,
      WEIR_API_KEY: ready.api_key,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`weir ${args.join(' ')} ended with ${String(code)}:\n${log.slice(-2_000)}`);
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

const hashes = (lines: readonly Line[]): unknown[] =>
  lines.filter(({ event }) => event === 'call').map(({ call, outcome, context_hash: hash }) => [call, outcome, hash]);

/** What both commands print in `total`; runs and cancels are the replay's own. */
function totalOf(lines: readonly Line[]): unknown {
  const {
    runs: _runs,
    cancelled: _cancelled,
    failed: _failed,
    ...total
  } = lines.find(({ event }) => event === 'total') ?? { event: '' };
  return total;
}

/** Model calls of the replayed session that have been answered so far. */
async function completedCalls(streamId: string): Promise<number> {
  const path = `/v1/admin/streams/${streamId}:step:replay/events?types=LlmCallCompleted&limit=500`;
  const response = await fetch(`${ready.url}${path}`, { headers: { authorization: `Bearer ${ready.api_key}` } });
  if (response.status === 404) return 0;
  const { data } = (await response.json()) as { data: unknown[] };
  return data.length;
}

beforeAll(async () => {
  // Small caps, so that a session of this size masks, compacts and waits.
  const window = { observation_window: 4, soft_cap_chars: 14_000, hard_cap_chars: 40_000, min_tail_turns: 2 };
  writeFileSync(policy, JSON.stringify({ window, compaction: { max_summary_chars: 3_000 } }));
  dataDir = createDataDir();
  const settings = { WEIR_LEASE_S: '3', WEIR_HEARTBEAT_S: '0.5', WEIR_SWEEP_S: '0.5' };
  up = startUp(dataDir.path, ['--no-demo', '--workers', '2', '--compactors', '2'], settings);
  ready = await up.ready();
}, 180_000);

afterAll(async () => {
  up.kill('SIGTERM');
  await up.exited;
  dataDir.remove();
  rmSync(scratch, { recursive: true, force: true });
});

it('gives the hashes and totals of the preview, with two workers and two compactors', async () => {
  const preview = await weir(['preview', '--messages', transcript, '--policy', policy]);
  expect(totalOf(preview)).toMatchObject({ lint_violations: 0, over_hard_cap: 0 });
  const replay = await weir(['replay', transcript, '--policy', policy]);
  expect(hashes(replay)).toEqual(hashes(preview));
  expect(totalOf(replay)).toEqual(totalOf(preview));
}, 240_000);

it('gives them also when workers and compactors are killed in the middle', async () => {
  const preview = await weir(['preview', '--messages', transcript, '--policy', policy]);
  const replaying = weir(['replay', transcript, '--policy', policy, '--stream-id', 'killed']);
  let calls = 0;
  for (const pid of [ready.pids.worker[0], ready.pids.compactor[0], ready.pids.worker[1], ready.pids.compactor[1]]) {
    // The session goes on between two deaths, so each hits it at another place.
    calls = await waitFor(
      async () => ((await completedCalls('killed')) > calls + 5 ? completedCalls('killed') : null),
      {
        timeoutMs: 60_000,
      },
    );
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }
  const replay = await replaying;
  expect(hashes(replay)).toEqual(hashes(preview));
  expect(totalOf(replay)).toEqual(totalOf(preview));
}, 240_000);
