import type { Command } from 'commander';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { UsageError } from '../terminal/exit-code.js';
import { whole } from '../terminal/numbers.js';
import { createOutput } from '../terminal/output.js';
import { createStyle, statusText } from '../terminal/style.js';

type Flags = { yes?: true; json?: true };

/** `weir erase run RUN`, `weir erase stream STREAM`: of both nothing happens without `--yes`. */
export function registerErase(program: Command): void {
  const erase = program.command('erase').description('Erase what a run or a stream held, for good');
  erase
    .command('run')
    .description('Inputs, outputs, messages and memory of an ended run and of those it started, summaries over them')
    .argument('<run>', 'its id')
    .option('--yes', 'do it; without it only what would be erased is shown')
    .action(eraseRun);
  erase
    .command('stream')
    .description('A stream with its conversations, memory and the contents of its runs, none of them under way')
    .argument('<stream>', 'a stream; of a sub-stream (chat:step:answer) that conversation alone')
    .option('--yes', 'do it; without it only what would be erased is shown')
    .action(eraseStream);
}

async function eraseRun(run: string, flags: Flags): Promise<void> {
  const params = { path: { run } };
  if (flags.yes === true) {
    await overApi(({ api }) => api.DELETE('/v1/runs/{run}', { params }));
    return tellErased({ run_id: run }, run, flags);
  }
  const found = await overApi(({ api }) => dataOf(api.GET('/v1/runs/{run}', { params })));
  const style = createStyle();
  const { pipeline, status, stream_id } = found;
  const stream = stream_id === run ? '' : `, of stream ${stream_id}`;
  refuse(`${style('bold', run)}  ${pipeline.name}@${pipeline.version}  ${statusText(status, style)}${stream}`, flags);
}

async function eraseStream(stream: string, flags: Flags): Promise<void> {
  const params = { path: { stream } };
  if (flags.yes === true) {
    await overApi(({ api }) => api.DELETE('/v1/admin/streams/{stream}', { params }));
    return tellErased({ stream_id: stream }, stream, flags);
  }
  const found = await overApi(({ api }) => dataOf(api.GET('/v1/admin/streams/{stream}', { params })));
  const logs = stream === found.root_stream_id ? [found, ...found.sub_streams] : [found];
  const sum = (values: readonly number[]): string => whole(values.reduce((total, value) => total + value, 0));
  const events = sum(logs.map((log) => log.version));
  const entries = sum(logs.map((log) => log.entries));
  refuse(`${createStyle()('bold', stream)}  ${events} events, ${entries} entries of conversations`, flags);
}

function tellErased(what: { run_id: string } | { stream_id: string }, id: string, flags: Flags): void {
  const output = createOutput(flags.json === true);
  output.json({ event: 'erased', ...what });
  output.text(`${createStyle()('bold', id)}  erased`);
}

/** @throws UsageError */
function refuse(subject: string, flags: Flags): never {
  createOutput(flags.json === true).text(subject);
  throw new UsageError('This cannot be undone: nothing is erased without --yes.');
}
