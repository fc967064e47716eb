import type { Command } from 'commander';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { runText } from '../render/run-text.js';
import { createOutput } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

export function registerShow(program: Command): void {
  program
    .command('show')
    .description('Show a run: where it stands, its steps, what it cost, its output')
    .argument('<run>', 'its id')
    .action(async (runId: string, flags: { json?: true }) => {
      const output = createOutput(flags.json === true);
      const run = await overApi((client) =>
        dataOf(client.api.GET('/v1/runs/{run}', { params: { path: { run: runId } } })),
      );
      output.json({ event: 'run', ...run });
      runText(run, createStyle()).forEach(output.text);
    });
}
