import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ApiFormat } from '../neutral.js';
import { lawRuns, USUAL_STREAMS } from './law-runs.js';

/** Long runs have no bound of time: 5 to 40 ms a stream, by the load of the machine. */
export const LAW_TIMEOUT_MS = 120_000 + lawRuns(USUAL_STREAMS) * 100;

const TOLD_CHARS = 20_000;

/**
 * Plays the laws in plain node: jest's module contexts make every access to a global slow, which is a third of the time.
 * What they say goes on to stderr; a broken law is told as node told it.
 */
export async function assertLaws(format: ApiFormat): Promise<void> {
  const root = join(import.meta.dirname, '..', '..', '..', '..');
  const loader = join(root, 'test', 'support', 'typescript-loader.mjs');
  const command = join(import.meta.dirname, 'laws.command.ts');
  const child = spawn(process.execPath, ['--import', loader, command, format], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text);
    told = (told + text).slice(-TOLD_CHARS);
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`the laws are broken in the form ${format}:\n${told}`);
}
