import { InvalidArgumentError, type Command } from 'commander';
import { dataOf, type WeirClient } from '#libs/client';
import { AppError } from '#libs/domain';
import { overApi } from '../client/api.js';
import { contextText, type ContextView } from '../render/context-text.js';
import { createOutput } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

type Flags = { item?: number; round?: number; why?: true; diff?: true; full?: true; json?: true };
type Place = { run: string; step: string; item: number | undefined; round: number | undefined };

export function registerContext(program: Command): void {
  program
    .command('context')
    .description('Show what the model saw in a call, built again from the stored events')
    .argument('<run>', 'its id')
    .argument('<step>', 'its id; judge[3], as weir show writes it, is judge --item 3')
    .argument('[call]', 'which call; the last one without it', whole)
    .option('--item <n>', 'of this item of a for_each', whole)
    .option('--round <n>', 'of this round of a repeat; the latest without it', whole)
    .option('--why', 'what each stage removed, what is not in the request and why')
    .option('--diff', 'where it first differs from the request before')
    .option('--full', 'whole messages instead of their first lines')
    .action(async (run: string, step: string, call: number | undefined, flags: Flags) => {
      const output = createOutput(flags.json === true);
      const context = await overApi(async (client) => {
        const place = placeOf(run, step, flags);
        return contextOf(client, place, call ?? (await lastCall(client, place)), flags.diff === true);
      });
      output.json({ event: 'context', ...context });
      const view: ContextView = { why: flags.why === true, diff: flags.diff === true, full: flags.full === true };
      contextText(context, view, createStyle()).forEach(output.text);
    });
}

function placeOf(run: string, text: string, { item, round }: Flags): Place {
  const [, step = text, ofItem] = /^(.+)\[(\d+)\]$/.exec(text) ?? [];
  return { run, step, item: item ?? (ofItem === undefined ? undefined : Number(ofItem)), round };
}

function contextOf(client: WeirClient, { run, step, item, round }: Place, call: number, diff: boolean) {
  const query = {
    ...(item === undefined ? {} : { item }),
    ...(round === undefined ? {} : { round }),
    ...(diff ? { diff: 'previous' as const } : {}),
  };
  return dataOf(
    client.api.GET('/v1/runs/{run}/steps/{step}/calls/{call}/context', {
      params: { path: { run, step, call }, query },
    }),
  );
}

async function lastCall(client: WeirClient, place: Place): Promise<number> {
  const { run, step, item, round } = place;
  const query = item === undefined ? {} : { item };
  const { data } = await dataOf(
    client.api.GET('/v1/runs/{run}/steps/{step}/calls', { params: { path: { run, step }, query } }),
  );
  const last = data.findLast((call) => round === undefined || call.round === round);
  return last?.call ?? noCall(client, place);
}

/** @throws AppError */
async function noCall(client: WeirClient, { run, step, item, round }: Place): Promise<never> {
  const query = item === undefined ? {} : { item };
  const { kind } = await dataOf(
    client.api.GET('/v1/runs/{run}/steps/{step}', { params: { path: { run, step }, query } }),
  );
  const where = `${round === undefined ? 'Step' : `Round ${round} of step`} ${step} of run ${run}`;
  const why =
    kind === 'agent'
      ? 'has made no model call, or its run was erased.'
      : `is a ${kind}: only agent steps call models. See weir show ${run}.`;
  throw new AppError('call_not_found', `${where} ${why}`);
}

function whole(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError('Expected a whole number.');
}
