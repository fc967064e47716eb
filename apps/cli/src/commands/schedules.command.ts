import { InvalidArgumentError, type Command } from 'commander';
import { dataOf, type Api } from '#libs/client';
import { overApi } from '../client/api.js';
import { readSettings } from '../client/read-settings.js';
import { createOutput } from '../terminal/output.js';
import { table } from '../terminal/table.js';

type Flags = { json?: true };
type Schedule = Api['Schedule'];

/** `weir schedules` lists; the rest are what one may do with them. */
export function registerSchedules(program: Command): void {
  const schedules = program.command('schedules').description('Runs that start by the clock');
  schedules
    .command('list', { isDefault: true })
    .description('List them with their next ticks')
    .action(async (flags: Flags) => {
      const query = { limit: 200 };
      const { data } = await overApi(({ api }) => dataOf(api.GET('/v1/schedules', { params: { query } })));
      show(data, flags);
    });
  schedules
    .command('put')
    .description('Make one, or replace one, of a YAML or JSON file')
    .argument('<name>', 'its name')
    .requiredOption('-f, --file <file>', 'cron, timezone, start, overlap, catch_up; - for standard input')
    .action(async (name: string, flags: Flags & { file: string }) => {
      const body = readSettings<Api['PutSchedule']>(flags.file);
      const request = { params: { path: { name } }, body };
      show([await overApi(({ api }) => dataOf(api.PUT('/v1/schedules/{name}', request)))], flags);
    });
  registerVerbs(schedules);
  registerTicks(schedules);
}

function registerVerbs(schedules: Command): void {
  const named = (verb: string, description: string, act: (name: string, flags: Flags) => Promise<void>) =>
    schedules.command(verb).description(description).argument('<name>', 'its name').action(act);
  named('pause', 'Start nothing more; runs under way go on', async (name, flags) => {
    const path = { name };
    show([await overApi(({ api }) => dataOf(api.POST('/v1/schedules/{name}/pause', { params: { path } })))], flags);
  });
  named('resume', 'Go on with the next tick from now', async (name, flags) => {
    const path = { name };
    show([await overApi(({ api }) => dataOf(api.POST('/v1/schedules/{name}/resume', { params: { path } })))], flags);
  });
  named('run', 'Start its run now, beside its ticks', async (name, flags) => {
    const path = { name };
    const { run_id } = await overApi(({ api }) => dataOf(api.POST('/v1/schedules/{name}/run', { params: { path } })));
    const output = createOutput(flags.json === true);
    output.json({ event: 'started', run_id });
    output.text(`${run_id}  started`);
  });
  named('delete', 'Delete it; runs under way go on', async (name, flags) => {
    await overApi(({ api }) => api.DELETE('/v1/schedules/{name}', { params: { path: { name } } }));
    const output = createOutput(flags.json === true);
    output.json({ event: 'deleted', schedule: name });
    output.text(`${name}  deleted`);
  });
}

function registerTicks(schedules: Command): void {
  schedules
    .command('ticks')
    .description('What became of its ticks, newest first')
    .argument('<name>', 'its name')
    .action(async (name: string, flags: Flags) => {
      const { data } = await overApi(({ api }) =>
        dataOf(api.GET('/v1/schedules/{name}/ticks', { params: { path: { name } } })),
      );
      const output = createOutput(flags.json === true);
      for (const tick of data) output.json({ event: 'tick', ...tick });
      const rows = data.map((tick) => [
        tick.at,
        tick.manual ? `${tick.outcome} by hand` : tick.ticks > 1 ? `${tick.ticks} ${tick.outcome}` : tick.outcome,
        tick.run_id ?? tick.detail ?? '',
      ]);
      for (const line of table(['TICK', 'OUTCOME', 'RUN OR REASON'], rows)) output.text(line);
    });
  schedules
    .command('upcoming')
    .description('When its next ticks are')
    .argument('<name>', 'its name')
    .option('--count <n>', 'how many', count, 10)
    .action(async (name: string, flags: Flags & { count: number }) => {
      const params = { path: { name }, query: { count: flags.count } };
      const { data } = await overApi(({ api }) => dataOf(api.GET('/v1/schedules/{name}/upcoming', { params })));
      const output = createOutput(flags.json === true);
      for (const at of data) {
        output.json({ event: 'upcoming', at });
        output.text(at);
      }
    });
}

function count(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError('Expected a number from 1 on.');
}

function show(schedules: readonly Schedule[], flags: Flags): void {
  const output = createOutput(flags.json === true);
  for (const schedule of schedules) output.json({ event: 'schedule', ...schedule });
  if (schedules.length === 0) return output.text('There are no schedules.');
  const rows = schedules.map(({ name, cron, timezone, start, paused_at, next_at }) => [
    name,
    start.pipeline,
    paused_at === null ? (next_at ?? 'never again') : 'paused',
    `${cron} ${timezone}`,
  ]);
  for (const line of table(['NAME', 'PIPELINE', 'NEXT', 'CRON'], rows)) output.text(line);
}
