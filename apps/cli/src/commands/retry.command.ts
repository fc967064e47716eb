import type { Command } from 'commander';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { createOutput } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

type Flags = { live?: true; json?: true };

export function registerRetry(program: Command): void {
  program
    .command('retry')
    .description('Go on with a failed run from the steps that failed; outputs of the others are kept')
    .argument('<run>', 'its id')
    .option('--live', "with the pipeline's live version instead of the one that the run began with")
    .action(async (run: string, flags: Flags) => {
      const output = createOutput(flags.json === true);
      const body = { version: flags.live === true ? ('live' as const) : ('pinned' as const) };
      const retried = await overApi((client) =>
        dataOf(client.api.POST('/v1/runs/{run}/retry', { params: { path: { run } }, body })),
      );
      output.json({ event: 'retried', run_id: retried.id, version: retried.version, steps: retried.steps });
      output.text(
        `${createStyle()('bold', retried.id)}  goes on with version ${retried.version}: ${retried.steps.join(', ')}`,
      );
    });
}
