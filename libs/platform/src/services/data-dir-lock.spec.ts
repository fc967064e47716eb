import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDir } from './data-dir-lock.js';
import { processBirth } from './process-table.js';

describe('lock of a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('refuses a second holder and names the first', () => {
    const lock = lockDataDir(folder);
    expect(() => lockDataDir(folder)).toThrow(`Process ${process.pid} already runs`);
    lock.release();
    lockDataDir(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over the lock of a process that has gone', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    const pid = child.pid;
    await new Promise((resolve) => child.once('exit', resolve));
    writeFileSync(join(folder, 'lock'), JSON.stringify({ pid, birth: null }));
    lockDataDir(folder).release();
  });

  it('takes over a lock whose pid now belongs to another process', () => {
    const birth = processBirth(process.pid);
    if (birth === null) return;
    writeFileSync(join(folder, 'lock'), JSON.stringify({ pid: process.pid, birth: `${birth}0` }));
    lockDataDir(folder).release();
  });

  it('takes over what is no lock at all', () => {
    writeFileSync(join(folder, 'lock'), 'garbage');
    lockDataDir(folder).release();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });

  it('does not remove a lock that is no longer its own', () => {
    const lock = lockDataDir(folder);
    writeFileSync(join(folder, 'lock'), 'of somebody else');
    lock.release();
    expect(existsSync(join(folder, 'lock'))).toBe(true);
  });
});
