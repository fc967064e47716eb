import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

/** Signals for a process that should end: each is sent when the one before did not help by then. */
export type EndStage = { readonly signal: NodeJS.Signals; readonly afterMs: number };

/** Ends what this process started when this process dies, however it dies. */
export type Guard = {
  readonly protect: (pid: number, stages: readonly EndStage[]) => void;
  readonly release: (pid: number) => void;
  /** A temporary folder to remove once all protected processes have ended. */
  readonly removeAtEnd: (folder: string) => void;
  /** Ends the guard itself without touching what it protects. */
  readonly close: () => void;
};

/**
 * Runs in a process of its own, in a session of its own. Its stdin is a pipe that only the parent holds:
 * kill -9 of the parent closes it, and nothing else can tell a process that its parent is gone so surely.
 * Plain text, because it must start from compiled code and from tests alike.
 */
const guardScript = `
const { rmSync } = require('node:fs');
const stages = new Map(), folders = new Set();
let rest = '', isDone = false;
const isAlive = (pid) => { try { process.kill(pid, 0); return true; } catch { return false; } };
const send = (pid, signal) => { try { process.kill(pid, signal); } catch { stages.delete(pid); } };
const take = (line) => {
  const [verb, value, list] = JSON.parse(line);
  if (verb === 'protect') stages.set(value, list);
  if (verb === 'release') stages.delete(value);
  if (verb === 'remove') folders.add(value);
  if (verb === 'close') isDone = true;
};
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  lines.filter(Boolean).forEach(take);
  if (isDone) process.exit(0);
});
process.stdin.on('error', () => {});
process.stdin.on('close', () => {
  const began = Date.now();
  const sent = new Map();
  const timer = setInterval(() => {
    for (const [pid, list] of stages) {
      const next = sent.get(pid) ?? 0;
      if (!isAlive(pid)) stages.delete(pid);
      else if (next < list.length && Date.now() - began >= list[next].afterMs) {
        send(pid, list[next].signal);
        sent.set(pid, next + 1);
      }
    }
    if (stages.size > 0 && Date.now() - began < 15000) return;
    clearInterval(timer);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }, 25);
});
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});
`;

export function startGuard(): Guard {
  const child = spawn(process.execPath, ['-e', guardScript], {
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  // A guard that has gone is no reason to fail: its pipe then answers EPIPE.
  child.stdin.on('error', () => undefined);
  if (child.stdin instanceof Socket) child.stdin.unref();
  const tell = (...words: unknown[]): void => {
    child.stdin.write(`${JSON.stringify(words)}\n`);
  };
  return {
    protect: (pid, stages) => tell('protect', pid, stages),
    release: (pid) => tell('release', pid),
    removeAtEnd: (folder) => tell('remove', folder),
    close: () => {
      tell('close');
      child.stdin.end();
    },
  };
}
