import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGuard } from '../../libs/platform/src/index.js';
import { migrate } from '../../libs/event-store/src/index.js';
import { ServerProcess } from '../chaos/support/server-process.js';

/** A migrated Postgres for one test, about what belongs to a whole server: its log, its end. */
export async function ownPostgres(options: {
  durable: boolean;
}): Promise<{ server: ServerProcess; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-own-postgres-'));
  const guard = startGuard();
  const server = await ServerProcess.postgres({ dataDir: folder, durable: options.durable, guard });
  await migrate(server.url);
  return {
    server,
    remove: async () => {
      await server.stop();
      guard.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
