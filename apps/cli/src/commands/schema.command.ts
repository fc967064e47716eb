import type { Command } from 'commander';
import { pipelineJsonSchema } from '#libs/domain';

export function registerSchema(program: Command): void {
  program
    .command('schema')
    .description('Print the JSON Schema of pipeline documents, for editors')
    .action(({ json }: { json?: true }) => {
      process.stdout.write(`${JSON.stringify(pipelineJsonSchema(), null, json === true ? undefined : 2)}\n`);
    });
}
