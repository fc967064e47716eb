import type { Command } from 'commander';
import { connect, eraseExpiredRuns, findExpiredRuns, type ExpiredRun } from '#libs/event-store';
import { loadSettings } from '#libs/platform';
import { databaseUrl } from '../keys/database-url.js';
import { UsageError } from '../terminal/exit-code.js';
import { moment } from '../terminal/numbers.js';
import { createOutput } from '../terminal/output.js';

type Flags = { olderThan: string; dryRun?: true; limit?: string; json?: true };

const BATCH = 100;
const DAY_MS = 86_400_000;

export function registerRetention(program: Command): void {
  program
    .command('retention')
    .description(
      'Erase what old runs held, in the database (DATABASE_URL, else that of `weir up`); ids, times, status and usage stay',
    )
    .requiredOption('--older-than <days>', 'runs of streams where nothing has happened since, for example 90d')
    .option('--dry-run', 'only list them')
    .option('--limit <n>', 'at most so many runs')
    .action(async (flags: Flags) => {
      const output = createOutput(flags.json === true);
      const runs = await retain(flags, (run) => {
        const { projectId: project_id, runId: run_id, streamId: stream_id, pipeline, endedAt: ended_at } = run;
        output.json({
          event: flags.dryRun === true ? 'expired' : 'erased',
          project_id,
          run_id,
          stream_id,
          pipeline,
          ended_at,
        });
        output.text(`${moment(run.endedAt)}  ${run.runId}  ${run.pipeline}  ${run.projectId}`);
      });
      output.json({ event: 'done', runs, dry_run: flags.dryRun === true });
      output.text(flags.dryRun === true ? `${runs} runs would be erased.` : `${runs} runs erased.`);
    });
}

async function retain(flags: Flags, tell: (run: ExpiredRun) => void): Promise<number> {
  const olderThanMs = daysOf(flags.olderThan) * DAY_MS;
  const most = flags.limit === undefined ? Infinity : wholeOf('--limit', flags.limit);
  const { prepare } = loadSettings().database;
  const database = connect({ url: databaseUrl(), poolSize: 1, prepare, applicationName: 'weir retention' });
  try {
    if (flags.dryRun === true) {
      const found = await findExpiredRuns(database.kysely, olderThanMs, Math.min(most, 1_000_000));
      found.forEach(tell);
      return found.length;
    }
    let runs = 0;
    for (;;) {
      const limit = Math.min(BATCH, most - runs);
      const erased = await eraseExpiredRuns(database.kysely, { olderThanMs, limit, actor: 'weir retention' });
      erased.forEach(tell);
      runs += erased.length;
      if (erased.length < limit || runs >= most) return runs;
    }
  } finally {
    await database.close();
  }
}

function daysOf(text: string): number {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days !== undefined) return Number(days);
  throw new UsageError(`--older-than ${text}: expected days, for example 90d.`);
}

function wholeOf(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`${option} ${text}: expected a number, 1 or more.`);
}
