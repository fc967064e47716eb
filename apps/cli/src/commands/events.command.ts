import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { dataOf, followRun, type Api, type WeirClient } from '#libs/client';
import { overApi } from '../client/api.js';
import { eventText } from '../render/event-text.js';
import { UsageError } from '../terminal/exit-code.js';
import { createOutput, type Output } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

type Flags = { follow?: true; after?: string; json?: true };
type Page = { data: Api['Event'][]; next_cursor: string | null; has_more: boolean };

const POLL_MS = 1000;
const PAGE = 200;

export function registerEvents(program: Command): void {
  program
    .command('events')
    .description('Show the events of a run, or of a stream or sub-stream')
    .argument('<run or stream>', 'a run (run_…), a stream, or a sub-stream (chat:step:answer)')
    .option('--follow', 'go on as events come; of a run until it has ended')
    .option('--after <place>', 'only later ones: the cursor of an event for a run, a seq for a stream')
    .action(async (subject: string, flags: Flags) => {
      const output = createOutput(flags.json === true);
      await overApi((client) =>
        isRun(subject) ? runEvents(client, subject, flags, output) : streamEvents(client, subject, flags, output),
      );
    });
}

/** A sub-stream of a run's own stream begins like a run and has a colon. */
const isRun = (subject: string): boolean => subject.startsWith('run_') && !subject.includes(':');

async function runEvents(client: WeirClient, run: string, flags: Flags, output: Output): Promise<void> {
  if (flags.follow === true) {
    for await (const news of followRun(client, run, { after: flags.after ?? null })) {
      if (news.kind === 'event') show(news.event, output);
    }
    return;
  }
  await pages(flags.after ?? null, output, (after) =>
    dataOf(
      client.api.GET('/v1/runs/{run}/events', {
        params: { path: { run }, query: { limit: PAGE, ...(after === null ? {} : { after }) } },
      }),
    ),
  );
}

async function streamEvents(client: WeirClient, stream: string, flags: Flags, output: Output): Promise<void> {
  if (flags.after !== undefined && !/^\d+$/.test(flags.after))
    throw new UsageError('--after of a stream is a seq: a whole number.');
  let after = flags.after ?? null;
  for (;;) {
    after = await pages(after, output, (from) =>
      dataOf(
        client.api.GET('/v1/admin/streams/{stream}/events', {
          params: { path: { stream }, query: { limit: PAGE, ...(from === null ? {} : { after: Number(from) }) } },
        }),
      ),
    );
    if (flags.follow !== true) return;
    await sleep(POLL_MS);
  }
}

/** Returns where the last page ended. */
async function pages(
  from: string | null,
  output: Output,
  read: (after: string | null) => Promise<Page>,
): Promise<string | null> {
  let after = from;
  for (;;) {
    const page = await read(after);
    page.data.forEach((event) => show(event, output));
    after = page.next_cursor ?? after;
    if (!page.has_more) return after;
  }
}

function show(event: Api['Event'], output: Output): void {
  output.json({ event: 'event', data: event });
  output.text(eventText(event, createStyle()));
}
