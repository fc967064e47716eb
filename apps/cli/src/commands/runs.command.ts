import type { Command } from 'commander';
import { dataOf, type Api } from '#libs/client';
import { overApi } from '../client/api.js';
import { dollars, elapsed, moment } from '../terminal/numbers.js';
import { createOutput } from '../terminal/output.js';
import { pageLimit } from '../terminal/page-limit.js';
import { createStyle, statusText, type Style } from '../terminal/style.js';
import { table } from '../terminal/table.js';

type Flags = { status?: string; pipeline?: string; tag?: string; streamId?: string; limit: number; json?: true };

export function registerRuns(program: Command): void {
  program
    .command('runs')
    .description('List runs, newest first')
    .option('--status <list>', 'only these, separated by commas')
    .option('--pipeline <name>', 'only of this pipeline')
    .option('--tag <tag>', 'only with this tag')
    .option('--stream-id <id>', 'only of this conversation')
    .option('--limit <n>', 'how many', pageLimit, 20)
    .action(async (flags: Flags) => {
      const output = createOutput(flags.json === true);
      const { status, pipeline, tag, streamId } = flags;
      const query = { limit: flags.limit, status, pipeline, tag, stream_id: streamId };
      const page = await overApi((client) => dataOf(client.api.GET('/v1/runs', { params: { query } })));
      for (const run of page.data) output.json({ event: 'run', ...run });
      const style = createStyle();
      if (page.data.length === 0) output.text('No runs.');
      else
        table(
          ['RUN', 'PIPELINE', 'STATUS', 'STREAM', 'CREATED', 'TOOK', 'COST'],
          page.data.map((run) => row(run, style)),
        ).forEach(output.text);
      if (page.has_more) output.text(style('dim', `more with --limit (now ${flags.limit})`));
    });
}

function row(run: Api['RunSummary'], style: Style): string[] {
  return [
    run.id,
    `${run.pipeline.name}@${run.pipeline.version}`,
    statusText(run.status, style) + (run.status_reason === null ? '' : style('dim', ` (${run.status_reason})`)),
    run.stream_id === run.id ? '' : run.stream_id,
    moment(run.created_at),
    elapsed(run.started_at, run.ended_at) ?? '',
    run.usage.cost_usd === 0 ? '' : dollars(run.usage.cost_usd),
  ];
}
