import { existsSync, readFileSync } from 'node:fs';
import { isSystemError } from './system-error.js';

export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return isSystemError(error, 'EPERM');
  }
}

/** Null where the system has no /proc, or the process has gone. */
export function readCommandLine(pid: number): string | null {
  return readProc(pid, 'cmdline')?.replaceAll('\0', ' ') ?? null;
}

/**
 * When the process began, in clock ticks since boot, with the boot's id: tells a process from a later one
 * that got the same pid. Null where the system has no /proc.
 */
export function processBirth(pid: number): string | null {
  const ticks = statFields(pid)?.[19];
  if (ticks === undefined || !existsSync('/proc/sys/kernel/random/boot_id')) return null;
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${ticks}`;
}

function isZombie(pid: number): boolean {
  return statFields(pid)?.[0] === 'Z';
}

/** Fields of /proc/<pid>/stat after the name, which may itself hold spaces and parentheses. */
function statFields(pid: number): string[] | null {
  const stat = readProc(pid, 'stat');
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // No /proc, or the process ended between two looks.
    return null;
  }
}
