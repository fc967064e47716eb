#!/usr/bin/env node
// Plain JavaScript: works in a fresh clone. Installs and compiles when needed, then hands over, in this process.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

// `weir … | head`: whoever read has what they wanted, so nobody is left to tell.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  prepare();
} catch (error) {
  if (process.argv.includes('--json')) {
    const line = {
      event: 'failed',
      code: 'not_prepared',
      detail: error.message,
      hint: 'See the output of npm or of the compiler on stderr.',
    };
    process.stdout.write(`${JSON.stringify(line)}\n${JSON.stringify({ event: 'stopped', exit_code: 1 })}\n`);
  }
  process.stderr.write(`weir: ${error.message}\n`);
  process.exit(1);
}
const { main } = await import(pathToFileURL(join(root, 'dist', 'apps', 'cli', 'src', 'main.js')).href);
await main(process.argv.slice(2));
