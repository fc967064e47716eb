import { InvalidArgumentError, type Command } from 'commander';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { createOutput } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

type Target = { name: string; version: number };
type Flags = { canary?: number; json?: true };

export function registerPromote(program: Command): void {
  program
    .command('promote')
    .description('Let new runs of a pipeline start with a version: forward or back')
    .argument('<name@version>', 'for instance support-chat@3', target)
    .option('--canary <percent>', 'only this share of them, 0 to 100; 0 ends the trial', percent)
    .action(async ({ name, version }: Target, { canary, json }: Flags) => {
      const alias = canary === undefined ? 'live' : 'canary';
      const body = { version, ...(canary === undefined ? {} : { weight: canary }) };
      const path = { name, alias } as const;
      const set = await overApi((client) =>
        dataOf(client.api.PUT('/v1/pipelines/{name}/aliases/{alias}', { params: { path }, body })),
      );
      const output = createOutput(json === true);
      output.json({ event: 'promoted', ...set });
      const share = alias === 'live' ? 'live' : `canary, ${set.weight} % of new runs`;
      output.text(`${createStyle()('bold', `${set.name}@${set.version}`)}  ${share}`);
    });
}

function target(text: string): Target {
  const match = /^(.+)@(\d{1,9})$/.exec(text);
  const [name, version] = [match?.[1], Number(match?.[2])];
  if (name !== undefined && version >= 1) return { name, version };
  throw new InvalidArgumentError('Expected NAME@VERSION, for instance support-chat@3.');
}

function percent(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0 && value <= 100) return value;
  throw new InvalidArgumentError('Expected a whole number, 0 to 100.');
}
