import { readFileSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import { readJson, type Json } from '#libs/domain';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { createOutput } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

type Flags = { comment?: string; form?: Json; arguments?: string; json?: true };

export function registerDecide(program: Command): void {
  register(program, 'approve', 'Approve what a run asks a person about');
  register(program, 'deny', 'Deny what a run asks a person about');
}

function register(program: Command, decision: 'approve' | 'deny', description: string): void {
  const command = program
    .command(decision)
    .description(description)
    .argument('<approval>', 'its id, as in `weir explain RUN`')
    .option('--comment <text>', 'why; the run and the model can read it')
    .option('--form <json>', 'what the form asks for, as JSON or @file', formValue);
  if (decision === 'approve')
    command.option('--arguments <json>', 'make the tool call with these arguments instead of those shown');
  command.action(async (approval: string, flags: Flags) => {
    const output = createOutput(flags.json === true);
    const body = {
      decision,
      ...(flags.comment === undefined ? {} : { comment: flags.comment }),
      ...(flags.form === undefined ? {} : { form: flags.form }),
      ...(flags.arguments === undefined ? {} : { arguments: flags.arguments }),
    };
    const decided = await overApi((client) =>
      dataOf(client.api.POST('/v1/approvals/{approval}/decision', { params: { path: { approval } }, body })),
    );
    output.json({ event: 'decided', approval_id: decided.id, status: decided.status, run_id: decided.run_id });
    output.text(`${createStyle()('bold', decided.id)}  ${decided.status}; run ${decided.run_id} goes on`);
  });
}

export function formValue(text: string): Json {
  try {
    return readJson(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text);
  } catch (cause) {
    throw new InvalidArgumentError(`Expected JSON or @file: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
