import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { loadSettings } from '#libs/platform';
import { createOutput } from '../terminal/output.js';
import { runUp } from '../up/run-up.js';

type Flags = {
  once?: true;
  demo: boolean;
  port?: number;
  dataDir?: string;
  workers: number;
  compactors: number;
  embedded?: true;
  json?: true;
};

export function registerUp(program: Command): void {
  program
    .command('up')
    .description('Start everything: Postgres and a queue if needed, api, workers, compactor; then the demonstration')
    .option('--once', 'end after the demonstration; exit code 0 only when all of it succeeded')
    .option('--no-demo', 'without the demonstration')
    .option('--port <port>', 'port of the API (0: any free one; default: 7117, or a free one when that is taken)', port)
    .option('--data-dir <folder>', 'where data, logs and the key are kept (default: WEIR_DATA_DIR, else .weir)')
    .option('--workers <n>', 'worker processes', count, 1)
    .option('--compactors <n>', 'compactor processes', count, 1)
    .option('--embedded', 'use nothing that this machine offers: embedded Postgres, and the queue on it')
    .action(async (flags: Flags) => {
      await runUp(
        {
          once: flags.once === true,
          demo: flags.demo,
          port: flags.port ?? null,
          dataDir: resolve(flags.dataDir ?? loadSettings().dataDir),
          workers: flags.workers,
          compactors: flags.compactors,
          embedded: flags.embedded === true,
        },
        createOutput(flags.json === true),
      );
    });
}

function port(text: string): number {
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value;
  throw new InvalidArgumentError('Expected a port, 0 to 65535.');
}

function count(text: string): number {
  const value = Number(text);
  if (/^\d{1,3}$/.test(text) && value >= 1 && value <= 100) return value;
  throw new InvalidArgumentError('Expected a number, 1 to 100.');
}
