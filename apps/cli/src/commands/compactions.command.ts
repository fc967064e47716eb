import { InvalidArgumentError, Option, type Command } from 'commander';
import { dataOf, type WeirClient } from '#libs/client';
import { overApi } from '../client/api.js';
import { COMPACTION_HEADINGS, compactionRow, compactionText, type Compaction } from '../render/compaction-text.js';
import { eventText } from '../render/event-text.js';
import { createOutput, type Output } from '../terminal/output.js';
import { pageLimit } from '../terminal/page-limit.js';
import { createStyle } from '../terminal/style.js';
import { table } from '../terminal/table.js';

const STATUSES = ['requested', 'running', 'compacted', 'skipped', 'discarded', 'failed', 'rolled_back'] as const;

type ListFlags = {
  streamId?: string;
  status?: (typeof STATUSES)[number];
  entry?: number;
  limit: number;
  json?: true;
};
type ShowFlags = { events?: true; json?: true };
type RequestFlags = { step?: string; item?: number; run?: string; minTailTurns?: number; json?: true };

/** `weir compactions` lists, `weir compactions ID` shows, the rest are what an admin may do about them. */
export function registerCompactions(program: Command): void {
  const compactions = program.command('compactions').description('Summaries of old history: see, ask for, undo');
  registerList(compactions);
  compactions
    .command('show')
    .description('Show one with its summary, attempts and cost')
    .argument('<id>', 'its id')
    .option('--events', 'also the events behind it, as they were stored')
    .action((id: string, flags: ShowFlags) => show(id, flags, createOutput(flags.json === true)));
  compactions
    .command('request')
    .description('Ask for one of all that may be summarised, whatever back-off and caps say')
    .argument('<stream>', 'a stream, or the sub-stream of one conversation')
    .option('--step <id>', 'which step, where the stream has several')
    .option('--item <n>', 'which item of a map step', whole)
    .option('--run <id>', "the view of this run (fresh steps); else that of the step's last start")
    .option('--min-tail-turns <n>', "this once in place of the policy's, for a tail that is itself too large", whole)
    .action((stream: string, flags: RequestFlags) => request(stream, flags));
  compactions
    .command('retry')
    .description('Ask again for the range of one that failed, was skipped or discarded')
    .argument('<id>', 'its id')
    .action((id: string, flags: { json?: true }) =>
      act('retried', flags, (api) =>
        api.POST('/v1/admin/compactions/{compaction}/retry', { params: { path: { compaction: id } } }),
      ),
    );
  compactions
    .command('rollback')
    .description('Take a summary out of the contexts again; the next one shows what it stood for')
    .argument('<id>', 'its id')
    .action((id: string, flags: { json?: true }) =>
      act('rolled_back', flags, (api) =>
        api.POST('/v1/admin/compactions/{compaction}/rollback', { params: { path: { compaction: id } } }),
      ),
    );
}

function registerList(compactions: Command): void {
  compactions
    .command('list', { isDefault: true })
    .description('List compactions, newest first, or show one with its summary')
    .argument('[id]', 'one of them')
    .option('--stream-id <id>', 'only of this stream or sub-stream')
    .option('--entry <n>', 'only those that stand for this entry (#n)', whole)
    .addOption(new Option('--status <status>', 'only these').choices([...STATUSES]))
    .option('--limit <n>', 'how many', pageLimit, 20)
    .action(async (id: string | undefined, flags: ListFlags) => {
      const output = createOutput(flags.json === true);
      await (id === undefined ? list(flags, output) : show(id, {}, output));
    });
}

async function list(flags: ListFlags, output: Output): Promise<void> {
  const query = { limit: flags.limit, stream_id: flags.streamId, status: flags.status, entry: flags.entry };
  const page = await overApi((client) => dataOf(client.api.GET('/v1/admin/compactions', { params: { query } })));
  for (const compaction of page.data) output.json({ event: 'compaction', ...compaction });
  const style = createStyle();
  if (page.data.length === 0) output.text('No compactions.');
  else
    table(
      COMPACTION_HEADINGS,
      page.data.map((compaction) => compactionRow(compaction, style)),
    ).forEach(output.text);
  if (page.has_more) output.text(style('dim', `more with --limit (now ${flags.limit})`));
}

async function show(id: string, flags: ShowFlags, output: Output): Promise<void> {
  const path = { compaction: id };
  const compaction = await overApi((client) =>
    dataOf(client.api.GET('/v1/admin/compactions/{compaction}', { params: { path } })),
  );
  output.json({ event: 'compaction', ...compaction });
  compactionText(compaction, createStyle()).forEach(output.text);
  if (flags.events === true) await showEvents(id, output);
}

async function showEvents(id: string, output: Output): Promise<void> {
  const style = createStyle();
  let after: number | undefined;
  for (;;) {
    const params = { path: { compaction: id }, query: { after, limit: 1000 } };
    const page = await overApi((client) =>
      dataOf(client.api.GET('/v1/admin/compactions/{compaction}/events', { params })),
    );
    for (const event of page.data) {
      output.json({ event: 'source_event', source: event });
      output.text(eventText(event, style));
    }
    if (!page.has_more) return;
    after = Number(page.next_cursor);
  }
}

function request(stream: string, flags: RequestFlags): Promise<void> {
  const body = { step_id: flags.step, item: flags.item, run_id: flags.run, min_tail_turns: flags.minTailTurns };
  return act('requested', flags, (api) =>
    api.POST('/v1/admin/streams/{stream}/compactions', { params: { path: { stream } }, body }),
  );
}

async function act(
  event: string,
  flags: { json?: true },
  deed: (api: WeirClient['api']) => Promise<{ data?: Compaction }>,
): Promise<void> {
  const output = createOutput(flags.json === true);
  const compaction = await overApi((client) => dataOf(deed(client.api)));
  output.json({ event, ...compaction });
  compactionText({ ...compaction, summary: null }, createStyle()).forEach(output.text);
}

function whole(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError('Expected a whole number from 0.');
}
