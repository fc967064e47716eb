import { InvalidArgumentError, Option, type Command } from 'commander';
import { dataOf, type Api } from '#libs/client';
import { overApi } from '../client/api.js';
import { readable } from '../terminal/excerpt.js';
import { moment, whole } from '../terminal/numbers.js';
import { createOutput, type Output } from '../terminal/output.js';
import { createStyle, statusText, type Style } from '../terminal/style.js';
import { facts, table } from '../terminal/table.js';

const STATUSES = ['requested', 'running', 'compacted', 'skipped', 'discarded', 'failed', 'rolled_back'] as const;

type Flags = { streamId?: string; status?: (typeof STATUSES)[number]; limit: number; json?: true };

export function registerCompactions(program: Command): void {
  program
    .command('compactions')
    .description('List compactions, newest first, or show one with its summary')
    .argument('[id]', 'one of them')
    .option('--stream-id <id>', 'only of this stream or sub-stream')
    .addOption(new Option('--status <status>', 'only these').choices([...STATUSES]))
    .option('--limit <n>', 'how many', limit, 20)
    .action(async (id: string | undefined, flags: Flags) => {
      const output = createOutput(flags.json === true);
      await (id === undefined ? list(flags, output) : show(id, output));
    });
}

async function list(flags: Flags, output: Output): Promise<void> {
  const query = { limit: flags.limit, stream_id: flags.streamId, status: flags.status };
  const page = await overApi((client) => dataOf(client.api.GET('/v1/admin/compactions', { params: { query } })));
  for (const compaction of page.data) output.json({ event: 'compaction', ...compaction });
  const style = createStyle();
  const headings = ['COMPACTION', 'STATUS', 'STREAM', 'ENTRIES', 'CHARS', 'REASON', 'REQUESTED'];
  if (page.data.length === 0) output.text('No compactions.');
  else
    table(
      headings,
      page.data.map((compaction) => row(compaction, style)),
    ).forEach(output.text);
}

type Compaction = Omit<Api['Compaction'], 'entries' | 'range'> & {
  entries: readonly number[];
  range: readonly number[];
};

function row(compaction: Compaction, style: Style): string[] {
  return [
    compaction.id,
    statusText(compaction.status, style) + (compaction.live ? ' (live)' : ''),
    compaction.stream_id,
    compaction.entries.map((entry) => `#${entry}`).join('–'),
    sizes(compaction),
    compaction.reason,
    moment(compaction.requested_at),
  ];
}

async function show(id: string, output: Output): Promise<void> {
  const path = { compaction: id };
  const compaction = await overApi((client) =>
    dataOf(client.api.GET('/v1/admin/compactions/{compaction}', { params: { path } })),
  );
  output.json({ event: 'compaction', ...compaction });
  const style = createStyle();
  output.text(
    `${style('bold', compaction.id)}  ${statusText(compaction.status, style)}${compaction.live ? '  live' : ''}`,
  );
  facts([
    ['stream', compaction.stream_id],
    ['run', compaction.run_id],
    ['reason', compaction.reason],
    ['entries', compaction.entries.map((entry) => `#${entry}`).join('–')],
    ['chars', sizes(compaction)],
    ['by', compaction.summarizer.model],
    ['requested', moment(compaction.requested_at)],
    ['supersedes', compaction.supersedes],
  ]).forEach(output.text);
  if (compaction.summary !== null) output.text(`\n${readable(compaction.summary)}`);
}

function sizes({ chars_before, chars_after }: Pick<Compaction, 'chars_before' | 'chars_after'>): string {
  if (chars_before === null) return '';
  return chars_after === null ? whole(chars_before) : `${whole(chars_before)} → ${whole(chars_after)}`;
}

function limit(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 200) return value;
  throw new InvalidArgumentError('Expected a number, 1 to 200.');
}
