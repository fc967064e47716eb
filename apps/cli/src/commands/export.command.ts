import { Option, type Command } from 'commander';
import { dataOf, type WeirClient } from '#libs/client';
import { overApi } from '../client/api.js';
import { UsageError } from '../terminal/exit-code.js';

type Flags = { prefix?: string; step?: string; format: 'transcript' | 'openai' };

const PAGE = 200;

export function registerExport(program: Command): void {
  program
    .command('export')
    .description('Take conversations out as NDJSON, one a line, whole; weir import takes them back')
    .argument('[stream...]', 'streams, or sub-streams (chat:step:answer)')
    .option('--prefix <text>', 'all streams whose ids begin so; "" for every stream')
    .option('--step <step>', 'the conversations of this step alone')
    .addOption(new Option('--format <format>', 'messages').choices(['transcript', 'openai']).default('transcript'))
    .action(async (streams: string[], flags: Flags) => {
      if (streams.length === 0 && flags.prefix === undefined) throw new UsageError('Name streams, or give --prefix.');
      await overApi(async (client) => {
        for (const stream of streams) await exportStream(client, stream, flags);
        if (flags.prefix !== undefined)
          for await (const stream of streamsOf(client, flags.prefix)) await exportStream(client, stream, flags);
      });
    });
}

type StreamPage = { data: readonly { stream_id: string }[]; next_cursor: string | null; has_more: boolean };

async function* streamsOf(client: WeirClient, prefix: string): AsyncGenerator<string> {
  let cursor: string | null = null;
  do {
    const page: StreamPage = await streamPage(client, prefix, cursor);
    for (const { stream_id } of page.data) yield stream_id;
    cursor = page.has_more ? page.next_cursor : null;
  } while (cursor !== null);
}

function streamPage(client: WeirClient, prefix: string, cursor: string | null): Promise<StreamPage> {
  const query = { limit: PAGE, ...(prefix === '' ? {} : { prefix }), ...(cursor === null ? {} : { cursor }) };
  return dataOf(client.api.GET('/v1/admin/streams', { params: { query } }));
}

/** Memory is the stream's: the first of its lines has it. */
async function exportStream(client: WeirClient, stream: string, { step, format }: Flags): Promise<void> {
  const { sub_streams } = await dataOf(client.api.GET('/v1/admin/streams/{stream}', { params: { path: { stream } } }));
  const wanted = sub_streams
    .filter(({ stream_id, entries }) => entries > 0 && (!stream.includes(':') || stream_id === stream))
    .map(({ stream_id }) => stream_id)
    .filter((id) => step === undefined || id.split(':')[2] === step);
  for (const [index, id] of wanted.entries()) {
    const params = { path: { stream: id }, query: { format } };
    const exported = await dataOf(client.api.GET('/v1/admin/streams/{stream}/export', { params }));
    process.stdout.write(`${JSON.stringify(index === 0 ? exported : { ...exported, memory: {} })}\n`);
  }
}
