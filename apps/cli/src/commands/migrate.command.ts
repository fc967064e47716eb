import type { Command } from 'commander';
import { migrate } from '#libs/event-store';
import { databaseUrl } from '../keys/database-url.js';
import { createOutput } from '../terminal/output.js';

export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database (DATABASE_URL, else that of `weir up`) to the schema of this version')
    .action(async (flags: { json?: true }) => {
      const output = createOutput(flags.json === true);
      const applied = await migrate(databaseUrl());
      for (const name of applied) {
        output.json({ event: 'migrated', name });
        output.text(`applied ${name}`);
      }
      output.json({ event: 'done', applied: applied.length });
      output.text(applied.length === 0 ? 'The schema is up to date.' : `${applied.length} migrations applied.`);
    });
}
