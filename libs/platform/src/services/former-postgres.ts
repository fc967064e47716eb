import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#libs/domain';
import { isSystemError } from './system-error.js';
import { isAlive, readCommandLine } from './process-table.js';

/**
 * After a kill -9 of the parent the former server may still be shutting down (its guard gives it 3.5 s), or its
 * pid file may name a process that has nothing to do with it: pids are used again, and Postgres would refuse to
 * start. Waits for the one, removes the other.
 * @throws AppError `data_dir_in_use` when a server still runs there after 10 s.
 */
export async function settleFormerServer(data: string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const deadline = performance.now() + 10_000;
  for (;;) {
    const pid = readPid(pidFile);
    if (pid === null) return;
    if (!isServerOf(pid, data)) {
      rmSync(pidFile, { force: true });
      return;
    }
    if (performance.now() > deadline) {
      throw new AppError(
        'data_dir_in_use',
        `Postgres ${pid} already runs on ${data}. End it, or choose another --data-dir.`,
        { pid },
      );
    }
    await delay(50);
  }
}

function readPid(file: string): number | null {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Where there is no /proc to ask (macOS), a live process is taken for the server. */
function isServerOf(pid: number, data: string): boolean {
  if (!isAlive(pid)) return false;
  const commandLine = readCommandLine(pid);
  return commandLine === null || (commandLine.includes('postgres') && commandLine.includes(data));
}
