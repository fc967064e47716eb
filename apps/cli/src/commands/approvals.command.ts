import type { Command } from 'commander';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { createOutput } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

type Flags = { all?: true; run?: string; json?: true };

export function registerApprovals(program: Command): void {
  program
    .command('approvals')
    .description('What people are asked to decide')
    .option('--run <id>', 'of one run')
    .option('--all', 'those too that are decided')
    .action(async (flags: Flags) => {
      const output = createOutput(flags.json === true);
      const query = {
        ...(flags.all === true ? {} : { status: 'pending' as const }),
        ...(flags.run === undefined ? {} : { run_id: flags.run }),
      };
      const { data } = await overApi((client) => dataOf(client.api.GET('/v1/approvals', { params: { query } })));
      const style = createStyle();
      for (const approval of data) {
        output.json({ event: 'approval', ...approval });
        output.text(`${style('bold', approval.id)}  ${approval.status}  ${approval.run_id} ${approval.step_id}`);
        output.text(`  ${approval.prompt ?? '(the key may not see what is asked)'}`);
        if (approval.form !== null) output.text(`  needs --form with ${JSON.stringify(approval.form)}`);
        if (approval.arguments !== null) output.text(`  ${approval.tool ?? ''} ${approval.arguments}`);
      }
      if (data.length === 0) output.text('Nothing to decide.');
    });
}
