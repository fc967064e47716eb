import type { Command } from 'commander';
import { dataOf, type Api } from '#libs/client';
import { overApi } from '../client/api.js';
import { readSettings } from '../client/read-settings.js';
import { createOutput } from '../terminal/output.js';
import { table } from '../terminal/table.js';

type Flags = { json?: true };

/** `weir hooks` lists the ways in for other systems; the rest are what one may do with them. */
export function registerHooks(program: Command): void {
  const hooks = program.command('hooks').description('Ways in for other systems: they start runs and send signals');
  hooks
    .command('list', { isDefault: true })
    .description('List them with the paths that senders POST to')
    .action(async (flags: Flags) => {
      const query = { limit: 200 };
      const { data } = await overApi(({ api }) => dataOf(api.GET('/v1/hooks', { params: { query } })));
      const output = createOutput(flags.json === true);
      for (const hook of data) output.json({ event: 'hook', ...hook });
      if (data.length === 0) return output.text('There are no hooks.');
      const rows = data.map((hook) => [hook.name, hook.verification.kind, hook.path]);
      for (const line of table(['NAME', 'VERIFIED BY', 'PATH'], rows)) output.text(line);
    });
  hooks
    .command('put')
    .description('Make one, or change one, of a YAML or JSON file; a new secret is shown this once')
    .argument('<name>', 'its name')
    .requiredOption('-f, --file <file>', 'verification, action, delivery_id, when; - for standard input')
    .action(async (hook: string, flags: Flags & { file: string }) => {
      const body = readSettings<Api['PutHook']>(flags.file);
      const request = { params: { path: { hook } }, body };
      showSecret(await overApi(({ api }) => dataOf(api.PUT('/v1/hooks/{hook}', request))), flags);
    });
  registerVerbs(hooks);
}

function registerVerbs(hooks: Command): void {
  hooks
    .command('rotate')
    .description('Give it a new secret; the one before holds for a day more')
    .argument('<name>', 'its name')
    .action(async (hook: string, flags: Flags) => {
      const params = { path: { hook } };
      showSecret(
        await overApi(({ api }) => dataOf(api.POST('/v1/hooks/{hook}/rotate-secret', { params, body: {} }))),
        flags,
      );
    });
  hooks
    .command('delete')
    .description('Delete it: its path answers 404 from then on')
    .argument('<name>', 'its name')
    .action(async (hook: string, flags: Flags) => {
      await overApi(({ api }) => api.DELETE('/v1/hooks/{hook}', { params: { path: { hook } } }));
      const output = createOutput(flags.json === true);
      output.json({ event: 'deleted', hook });
      output.text(`${hook}  deleted`);
    });
}

function showSecret(hook: Api['HookWithSecret'], flags: Flags): void {
  const output = createOutput(flags.json === true);
  output.json({ event: 'hook', ...hook });
  output.text(`${hook.name}  ${hook.path}`);
  if (hook.secret !== null) output.text(`secret  ${hook.secret}  (shown this once)`);
}
