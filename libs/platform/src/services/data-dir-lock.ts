import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#libs/domain';
import { isSystemError } from './system-error.js';
import { isAlive, processBirth } from './process-table.js';

export type DataDirLock = { readonly release: () => void };

/**
 * One `weir up` per data folder. The lock of a process that no longer lives (kill -9, power cut, a pid used
 * again) is taken over; of two that take it over at once one wins.
 * @throws AppError `data_dir_locked` with the pid that holds it.
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const file = join(dataDir, 'lock');
  const mine = JSON.stringify({ pid: process.pid, birth: processBirth(process.pid) });
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    if (create(file, mine)) return { release: () => releaseLock(file, mine) };
    const held = read(file);
    if (held === null) continue;
    const pid = holder(held);
    if (pid !== null) {
      throw new AppError(
        'data_dir_locked',
        `Process ${pid} already runs Weir on ${dataDir}. Stop it, or choose another --data-dir.`,
        { pid, data_dir: dataDir },
      );
    }
    removeStale(file, held);
  }
  throw new AppError('data_dir_locked', `The lock ${file} changes hands too often. Try again.`, { data_dir: dataDir });
}

/** Written whole under another name, then linked: a lock is never seen half written. */
function create(file: string, content: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

/** The live process that holds the lock, or null when it is stale (or not a lock of ours at all). */
function holder(content: string): number | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    // Not written by `create`, which only ever links whole files.
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || !('pid' in parsed) || typeof parsed.pid !== 'number')
    return null;
  const birth = 'birth' in parsed ? parsed.birth : null;
  const isSame = typeof birth !== 'string' || birth === processBirth(parsed.pid);
  return isAlive(parsed.pid) && isSame ? parsed.pid : null;
}

/** Renaming first: if meanwhile somebody else took over, what was moved is a live lock and goes back. */
function removeStale(file: string, stale: string): void {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return;
    throw error;
  }
  if (read(aside) !== stale) linkSync(aside, file);
  rmSync(aside, { force: true });
}

function releaseLock(file: string, mine: string): void {
  if (read(file) === mine) rmSync(file, { force: true });
}
