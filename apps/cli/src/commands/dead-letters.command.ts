import type { Command } from 'commander';
import { dataOf, type Api, type WeirClient } from '#libs/client';
import { overApi } from '../client/api.js';
import { deadLetterRow, deadLetterText, DEAD_LETTER_HEADINGS } from '../render/dead-letter-text.js';
import { createOutput } from '../terminal/output.js';
import { pageLimit } from '../terminal/page-limit.js';
import { createStyle, statusText } from '../terminal/style.js';
import { table } from '../terminal/table.js';

type Flags = { json?: true };

/** `weir dead-letters` lists the steps that were given up; the rest are what one may do about them. */
export function registerDeadLetters(program: Command): void {
  const letters = program.command('dead-letters').description('Steps that took their workers down and were given up');
  letters
    .command('list', { isDefault: true })
    .description('List them, newest first')
    .option('--limit <n>', 'how many', pageLimit, 20)
    .action(list);
  letters.command('show').description('Show one with its diagnosis').argument('<id>', 'its id').action(show);
  letters
    .command('redrive')
    .description('Try it again: its run goes on in place, with every step that did not succeed')
    .argument('<id>', 'its id')
    .action((letter: string, flags: Flags) =>
      settle('redriven', flags, (api) =>
        api.POST('/v1/admin/dead-letters/{letter}/redrive', { params: { path: { letter } } }),
      ),
    );
  letters
    .command('discard')
    .description('Give it up for good: it counts as failed; its run can still be retried')
    .argument('<id>', 'its id')
    .action((letter: string, flags: Flags) =>
      settle('discarded', flags, (api) =>
        api.POST('/v1/admin/dead-letters/{letter}/discard', { params: { path: { letter } } }),
      ),
    );
}

async function list(flags: Flags & { limit: number }): Promise<void> {
  const output = createOutput(flags.json === true);
  const query = { limit: flags.limit };
  const page = await overApi(({ api }) => dataOf(api.GET('/v1/admin/dead-letters', { params: { query } })));
  for (const letter of page.data) output.json({ event: 'dead_letter', ...letter });
  if (page.data.length === 0) output.text('No dead letters.');
  else table(DEAD_LETTER_HEADINGS, page.data.map(deadLetterRow)).forEach(output.text);
  if (page.has_more) output.text(createStyle()('dim', `more with --limit (now ${flags.limit})`));
}

async function show(id: string, flags: Flags): Promise<void> {
  const output = createOutput(flags.json === true);
  const params = { path: { letter: id } };
  const letter = await overApi(({ api }) => dataOf(api.GET('/v1/admin/dead-letters/{letter}', { params })));
  output.json({ event: 'dead_letter', ...letter });
  deadLetterText(letter, createStyle()).forEach(output.text);
}

async function settle(
  event: 'redriven' | 'discarded',
  flags: Flags,
  deed: (api: WeirClient['api']) => Promise<{ data?: Api['DeadLetterSettled'] }>,
): Promise<void> {
  const output = createOutput(flags.json === true);
  const settled = await overApi(({ api }) => dataOf(deed(api)));
  output.json({ event, ...settled });
  const style = createStyle();
  output.text(`${style('bold', settled.id)}  ${event}; run ${settled.run_id} ${statusText(settled.status, style)}`);
}
