import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#libs/domain';
import type { EndStage, Guard } from './guard.js';
import type { ServiceUser } from './service-user.js';

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type ManagedProcess = {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the process has ended; never rejects. */
  readonly exited: Promise<Exit>;
  readonly hasExited: () => boolean;
  /** Sends the signals of `stopWith` until the process has ended. Calling it again is harmless. */
  readonly stop: () => Promise<Exit>;
};

export type ProcessOptions = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process: nothing is inherited unasked. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly user?: ServiceUser | null;
  /** Where stdout and stderr go: a file (begun anew unless `append`), or this process's stderr. */
  readonly output: { readonly file: string; readonly append?: boolean } | 'stderr';
  readonly guard: Guard;
  readonly stopWith: readonly EndStage[];
  /** What the guard does when this process is killed; must be over within 5 s. */
  readonly orphanedWith: readonly EndStage[];
  readonly stdin?: string;
};

/**
 * Starts a process in a session of its own, so that Ctrl-C in a terminal reaches only the parent, which then
 * ends its children in the right order.
 * @throws AppError `process_not_started` when the command cannot be run.
 */
export async function startProcess(options: ProcessOptions): Promise<ManagedProcess> {
  const output =
    options.output === 'stderr' ? 2 : openSync(options.output.file, options.output.append ? 'a' : 'w', 0o644);
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: [options.stdin === undefined ? 'ignore' : 'pipe', output, output],
    ...(options.user ? { uid: options.user.uid, gid: options.user.gid } : {}),
  });
  if (output !== 2) closeSync(output);
  const pid = child.pid;
  if (pid === undefined) throw await startFailure(options, child);
  options.guard.protect(pid, options.orphanedWith);
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.stdin);
  let exit: Exit | null = null;
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      exit = { code, signal };
      options.guard.release(pid);
      resolve(exit);
    });
  });
  return {
    name: options.name,
    pid,
    exited,
    hasExited: () => exit !== null,
    stop: () => endProcess(child, exited, options.stopWith),
  };
}

async function startFailure(options: ProcessOptions, child: ReturnType<typeof spawn>): Promise<AppError> {
  const cause = await new Promise<Error>((resolve) => child.once('error', resolve));
  return new AppError(
    'process_not_started',
    `${options.name} cannot be started (${options.command}): ${cause.message}`,
    { name: options.name },
    { cause },
  );
}

async function endProcess(
  child: ReturnType<typeof spawn>,
  exited: Promise<Exit>,
  stages: readonly EndStage[],
): Promise<Exit> {
  const timers = stages.map(({ signal, afterMs }) => setTimeout(() => child.kill(signal), afterMs));
  try {
    return await exited;
  } finally {
    timers.forEach(clearTimeout);
  }
}

/**
 * Waits until the log file holds `line` (lower case). An open port would be too early: Postgres listens before it
 * accepts ("the database system is starting up").
 * @throws AppError `service_not_started` with the end of the log when the process ends or the time is over.
 */
export async function waitForLogLine(
  process_: ManagedProcess,
  file: string,
  line: string,
  timeoutMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const hasExited = process_.hasExited();
    const log = readFileSync(file, 'utf8');
    if (log.toLowerCase().includes(line)) return;
    if (hasExited || performance.now() > deadline) {
      const what = hasExited ? 'ended before it was ready' : `was not ready within ${timeoutMs / 1000} s`;
      throw new AppError('service_not_started', `${process_.name} ${what}. The end of ${file}:\n${lastLines(log)}`, {
        name: process_.name,
        log: lastLines(log),
      });
    }
    await delay(20);
  }
}

export function lastLines(log: string, count = 12): string {
  return log.trimEnd().split('\n').slice(-count).join('\n');
}
