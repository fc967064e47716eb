import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../../../../test/support/wait-for.js';
import { startGuard } from './guard.js';
import { startProcess } from './managed-process.js';
import { isAlive } from './process-table.js';

const guardedParent = fileURLToPath(new URL('../../../../test/fixtures/processes/guarded-parent.mjs', import.meta.url));

describe('guard', () => {
  it('ends the children and removes the folder of a parent that was killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-guard-'));
    const parent = spawn(process.execPath, [guardedParent, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once('data', (text: Buffer) => resolve(Number(text.toString()))),
    );
    await waitFor(() => readFileSync(join(folder, 'log'), 'utf8').includes('up'), { what: 'the child' });
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await waitFor(() => !isAlive(pid), { what: 'the end of the child', timeoutMs: 5000 });
    await waitFor(() => !existsSync(folder), { what: 'the removal of the folder', timeoutMs: 5000 });
  });
});

describe('managed process', () => {
  it('is stopped by the next signal when the first does not help', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-process-'));
    const guard = startGuard();
    const stages = [
      { signal: 'SIGTERM', afterMs: 0 },
      { signal: 'SIGKILL', afterMs: 100 },
    ] as const;
    const process_ = await startProcess({
      name: 'stubborn',
      command: process.execPath,
      args: ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")'],
      ...{ env: {}, cwd: '/', output: { file: join(folder, 'log') }, guard, stopWith: stages, orphanedWith: stages },
    });
    await waitFor(() => readFileSync(join(folder, 'log'), 'utf8').includes('up'));
    expect(await process_.stop()).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await process_.stop()).toEqual({ code: null, signal: 'SIGKILL' });
    guard.close();
    rmSync(folder, { recursive: true });
  });

  it('says what cannot be started', async () => {
    const guard = startGuard();
    const started = startProcess({
      name: 'nothing',
      command: '/nowhere/nothing',
      args: [],
      ...{ env: {}, cwd: '/', output: 'stderr', guard, stopWith: [], orphanedWith: [] },
    });
    await expect(started).rejects.toMatchObject({ code: 'process_not_started' });
    guard.close();
  });
});
