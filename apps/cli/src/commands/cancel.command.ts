import type { Command } from 'commander';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { createOutput } from '../terminal/output.js';
import { createStyle, statusText } from '../terminal/style.js';

type Flags = { reason?: string; json?: true };

export function registerCancel(program: Command): void {
  program
    .command('cancel')
    .description('Cancel a run: waiting steps end at once, running ones within a second')
    .argument('<run>', 'its id')
    .option('--reason <text>', 'why, for whoever asks later')
    .action(async (runId: string, flags: Flags) => {
      const output = createOutput(flags.json === true);
      const body = flags.reason === undefined ? {} : { reason: flags.reason };
      const answer = await overApi((client) =>
        dataOf(client.api.POST('/v1/runs/{run}/cancel', { params: { path: { run: runId } }, body })),
      );
      output.json({ event: 'cancelled', run_id: answer.id, status: answer.status });
      const style = createStyle();
      output.text(`${style('bold', answer.id)}  ${statusText(answer.status, style)}`);
    });
}
