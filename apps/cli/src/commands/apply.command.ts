import type { Command } from 'commander';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { readDocument } from '../client/read-document.js';
import { createOutput } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

type Flags = { file: string[]; promote: boolean; json?: true };

export function registerApply(program: Command): void {
  program
    .command('apply')
    .description('Store pipelines: the same content again changes nothing, new content is the next version')
    .requiredOption('-f, --file <file...>', 'YAML or JSON documents; - reads standard input')
    .option('--no-promote', 'leave the alias live where it is')
    .action(async (flags: Flags) => {
      for (const file of flags.file) await apply(file, flags);
    });
}

async function apply(file: string, flags: Flags): Promise<void> {
  const output = createOutput(flags.json === true);
  const style = createStyle();
  const { name, document } = readDocument(file);
  const applied = await overApi((client) =>
    dataOf(
      client.api.PUT('/v1/pipelines/{name}', {
        params: { path: { name }, query: { promote: flags.promote ? 'true' : 'false' } },
        body: document,
      }),
    ),
  );
  output.json({ event: 'applied', ...applied });
  const what = applied.created ? 'new version' : 'unchanged';
  output.text(
    `${style('bold', `${applied.name}@${applied.version}`)}  ${what}${applied.promoted ? ', live' : ', not promoted'}`,
  );
  for (const note of applied.notes)
    output.text(style('dim', `  ${note.path === '' ? '' : `${note.path}: `}${note.detail}`));
}
