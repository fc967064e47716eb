import type { Command } from 'commander';
import type { Json } from '#libs/domain';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { createOutput } from '../terminal/output.js';
import { formValue } from './decide.command.js';

type Flags = { key: string; payload?: Json; json?: true };

export function registerSignal(program: Command): void {
  program
    .command('signal')
    .description('Send a signal that a run waits for, or will')
    .argument('<name>', 'as in wait_for.signal')
    .requiredOption('--key <text>', 'as in wait_for.key')
    .option('--payload <json>', 'what the step hands on, as JSON or @file', formValue)
    .action(async (name: string, flags: Flags) => {
      const output = createOutput(flags.json === true);
      const body = { key: flags.key, payload: flags.payload ?? null };
      const sent = await overApi((client) =>
        dataOf(client.api.POST('/v1/signals/{name}', { params: { path: { name } }, body })),
      );
      output.json({ event: 'signalled', signal_id: sent.id, run_id: sent.run_id });
      output.text(
        sent.run_id === null ? `${sent.id}  kept until a run waits for it` : `${sent.id}  to run ${sent.run_id}`,
      );
    });
}
