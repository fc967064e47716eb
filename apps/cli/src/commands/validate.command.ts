import type { Command } from 'commander';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { readDocument } from '../client/read-document.js';
import { createOutput } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

type Flags = { file: string[]; json?: true };

export function registerValidate(program: Command): void {
  program
    .command('validate')
    .description('Check pipelines without storing them; all faults at once')
    .requiredOption('-f, --file <file...>', 'YAML or JSON documents; - reads standard input')
    .action(async (flags: Flags) => {
      for (const file of flags.file) await validate(file, flags);
    });
}

async function validate(file: string, flags: Flags): Promise<void> {
  const output = createOutput(flags.json === true);
  const style = createStyle();
  const { document } = readDocument(file);
  const valid = await overApi((client) => dataOf(client.api.POST('/v1/pipelines/validate', { body: document })));
  output.json({ event: 'valid', name: valid.name, notes: valid.notes });
  output.text(`${style('bold', valid.name)}  ${style('green', 'valid')}`);
  for (const note of valid.notes)
    output.text(style('dim', `  ${note.path === '' ? '' : `${note.path}: `}${note.detail}`));
}
