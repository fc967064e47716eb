import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepLog } from './planted-secrets.js';
import { waitFor } from './wait-for.js';

const launcher = fileURLToPath(new URL('../../apps/cli/bin/weir.mjs', import.meta.url));

export type ReadyLine = {
  event: 'ready';
  url: string;
  api_key: string;
  pids: { up: number; api: number; worker: number[]; compactor: number[] };
  postgres_url: string;
  redis_url: string | null;
  queue_backend: 'redis' | 'postgres';
  data_dir: string;
  version: string;
};

type Line = { event: string; [key: string]: unknown };

export type WeirUp = {
  readonly pid: number;
  readonly lines: readonly Line[];
  /** Logs of all processes, as far as they have come. */
  readonly log: () => string;
  /** The line of `weir up --json`; fails with the log when the process ends before it. */
  readonly ready: () => Promise<ReadyLine>;
  readonly exited: Promise<number | null>;
  readonly kill: (signal: NodeJS.Signals) => void;
};

/** Starts `weir up --json` as a user does: a process of its own, nothing shared with the test but the machine. */
export function startUp(dataDir: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): WeirUp {
  return watch(process.execPath, [launcher, 'up', ...commonArgs(dataDir), ...args], env);
}

/** The same through `npm start`; `pid` and `kill` are npm's. */
export function npmStart(dataDir: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): WeirUp {
  return watch('npm', ['start', '--silent', '--', ...commonArgs(dataDir), ...args], env);
}

function commonArgs(dataDir: string): string[] {
  return ['--json', '--port', '0', '--data-dir', dataDir];
}

function watch(command: string, args: readonly string[], env: NodeJS.ProcessEnv): WeirUp {
  const child = spawn(command, args, {
    cwd: dirname(dirname(dirname(dirname(launcher)))),
    // As from a shell: without what npm and jest tell their own children.
    env: { ...process.env, npm_lifecycle_event: undefined, NODE_OPTIONS: undefined, NODE_ENV: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: Line[] = [];
  let rest = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.filter((part) => part !== '').map((part) => JSON.parse(part) as Line));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  let hasEnded = false;
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      hasEnded = true;
      keepLog(log);
      resolve(code);
    });
  });
  return {
    pid: child.pid ?? 0,
    lines,
    log: () => log,
    exited,
    kill: (signal) => void child.kill(signal),
    ready: async () => {
      const line = await waitFor(
        () => lines.find((one) => one.event === 'ready') ?? (hasEnded ? (lines.at(-1) ?? { event: 'none' }) : null),
        {
          what: 'the ready line of weir up',
          timeoutMs: 120_000,
        },
      ).catch((error: unknown) => {
        throw new Error(`weir up was not ready:\n${log}`, { cause: error });
      });
      if (line.event !== 'ready') throw new Error(`weir up ended: ${JSON.stringify(lines)}\n${log}`);
      return line as unknown as ReadyLine;
    },
  };
}

/** A data folder for `startUp`, and how to remove it with what lies elsewhere for it. */
export function createDataDir(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'weir-up-'));
  return {
    path,
    remove: () => {
      const note = join(path, 'services-folder');
      if (existsSync(note)) rmSync(readFileSync(note, 'utf8').trim(), { recursive: true, force: true });
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Whether somebody listens at the address of a URL. */
export async function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: 1000 });
    socket.once('connect', () => socket.destroy() && resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('timeout', () => socket.destroy() && resolve(false));
  });
}

/** Waits (5 s, as promised) until nothing of a start runs any more. */
export async function waitUntilGone(ready: ReadyLine): Promise<void> {
  const { up, api, worker, compactor } = ready.pids;
  const urls = [ready.url, ready.postgres_url, ...(ready.redis_url === null ? [] : [ready.redis_url])];
  await waitFor(
    async () => {
      const pids = [up, api, ...worker, ...compactor].filter(isRunning);
      const listening = await Promise.all(urls.map(isListening));
      return pids.length === 0 && !listening.includes(true);
    },
    { what: 'the end of all processes', timeoutMs: 5000, everyMs: 50 },
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: it has gone.
    return false;
  }
}
