import { InvalidArgumentError, type Command } from 'commander';
import { dataOf, ServerProblem, type Api, type WeirClient } from '#libs/client';
import { overApi } from '../client/api.js';
import { readConversations, type FoundConversation } from '../conversations/read-conversations.js';
import { exitCodes, UnreachableError } from '../terminal/exit-code.js';
import { createOutput, type Output } from '../terminal/output.js';

type Flags = {
  streamId?: string;
  step?: string;
  item?: number;
  sourceId?: string;
  dryRun?: true;
  fromLine: number;
  json?: true;
};
type Imported = Api['ConversationImported'];
type Totals = { imported: number; unchanged: number; would_import: number; refused: number };

export function registerImport(program: Command): void {
  program
    .command('import')
    .description('Move conversations in: one from a JSON file, many from NDJSON; again changes nothing')
    .argument(
      '<file>',
      'a transcript, messages in OpenAI’s form, or an export; .ndjson or .jsonl: one a line; - reads NDJSON',
    )
    .option('--stream-id <id>', 'the stream, where the file names none')
    .option('--step <step>', 'the step whose conversation it is, where the file names none')
    .option('--item <n>', 'the item of a for_each', count)
    .option('--source-id <id>', 'its name where it comes from; its content without it')
    .option('--dry-run', 'say what would be imported, mended and left out, and write nothing')
    .option('--from-line <n>', 'go on at this line', count, 1)
    .action(async (file: string, flags: Flags) => {
      const output = createOutput(flags.json === true);
      const totals: Totals = { imported: 0, unchanged: 0, would_import: 0, refused: 0 };
      for await (const read of readConversations(file, flags.fromLine)) {
        const result = 'fault' in read ? read.fault : await importOne(read.found, flags, read.line);
        tally(totals, result);
        show(read.line, result, output);
      }
      output.json({ event: 'total', ...totals });
      const words = Object.entries(totals).flatMap(([name, n]) => (n === 0 ? [] : [`${n} ${name.replace('_', ' ')}`]));
      output.text(words.length === 0 ? 'nothing to import' : words.join(', '));
      if (totals.refused > 0) process.exitCode = exitCodes.failed;
    });
}

/** What was refused is a sentence; the others go on. */
async function importOne(found: FoundConversation, flags: Flags, line: number): Promise<Imported | string> {
  const streamId = found.streamId ?? flags.streamId;
  if (streamId === undefined) return 'no stream: give --stream-id, or "stream_id" in the file';
  try {
    return await overApi((client) => send(client, streamId, found, flags));
  } catch (error) {
    if (error instanceof UnreachableError)
      throw new UnreachableError(`the server at line ${line} (go on with --from-line ${line})`, error.cause);
    const cause = error instanceof Error ? error.cause : undefined;
    if (!(cause instanceof ServerProblem) || cause.status === 401 || cause.status === 403) throw error;
    const faults = (cause.problem?.errors ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`);
    return [cause.message, ...faults.slice(0, 5)].join('\n  ');
  }
}

function send(client: WeirClient, streamId: string, found: FoundConversation, flags: Flags): Promise<Imported> {
  const { stepId, item, sourceId, memory, transcript } = found;
  const body = {
    step_id: stepId ?? flags.step ?? null,
    item: item ?? flags.item ?? null,
    source_id: sourceId ?? flags.sourceId ?? null,
    memory,
    dry_run: flags.dryRun === true,
    transcript,
  };
  return dataOf(client.api.POST('/v1/admin/streams/{stream}/import', { params: { path: { stream: streamId } }, body }));
}

function tally(totals: Totals, result: Imported | string): void {
  totals[typeof result === 'string' ? 'refused' : result.status] += 1;
}

function show(line: number, result: Imported | string, output: Output): void {
  if (typeof result === 'string') {
    output.json({ event: 'conversation', line, status: 'refused', detail: result });
    return output.error(`line ${line} refused: ${result}`);
  }
  output.json({ event: 'conversation', line, ...result });
  const { stream_id, step_id, status, report } = result;
  const mended = report.repairs.length === 0 ? '' : `, ${report.repairs.length} mended when read`;
  const left = report.left_out.length === 0 ? '' : `, ${report.left_out.length} left out`;
  output.text(
    `${stream_id}:${step_id}  ${status.replace('_', ' ')}  ${report.entries} of ${report.messages} messages${mended}${left}`,
  );
}

function count(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError('Expected a whole number, 0 or more.');
}
