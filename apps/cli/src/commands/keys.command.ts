import { Option, type Command } from 'commander';
import { API_KEY_SCOPES, isApiKeyScope, type ApiKeyScope } from '#libs/engine';
import { databaseUrl } from '../keys/database-url.js';
import { issueKey } from '../keys/issue-key.js';
import { createOutput } from '../terminal/output.js';
import { UsageError } from '../terminal/exit-code.js';

type Flags = { name: string; project: string; scope?: string[]; json?: true };

export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('API keys');
  keys
    .command('create')
    .description('Make an API key in the database (DATABASE_URL, else that of `weir up`); it is shown once')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--project <project>', 'the project that it belongs to', 'default')
    .addOption(new Option('--scope <scope...>', 'what it may do (default: everything)').choices([...API_KEY_SCOPES]))
    .action(async (flags: Flags) => {
      const output = createOutput(flags.json === true);
      const scopes = flags.scope === undefined ? [...API_KEY_SCOPES] : flags.scope.map(toScope);
      const issued = await issueKey(databaseUrl(), { projectId: flags.project, name: flags.name, scopes });
      output.json({ event: 'key', id: issued.keyId, key: issued.token, project_id: flags.project, scopes });
      output.text(issued.token);
    });
}

function toScope(text: string): ApiKeyScope {
  if (isApiKeyScope(text)) return text;
  throw new UsageError(`Unknown scope ${text}: expected ${API_KEY_SCOPES.join(', ')}.`);
}
