import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer, startGuard, startPrivateRedis } from '../../libs/platform/src/index.js';

/** A Redis for one test, about what belongs to a whole server: its settings, its clients. Inside `describeRedis`. */
export async function ownRedis(): Promise<{ url: string; folder: string; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-own-redis-'));
  const guard = startGuard();
  const binary = findRedisServer(process.env['PATH'] ?? '') ?? '';
  const server = await startPrivateRedis({ binary, dataDir: folder, guard });
  return {
    url: server.url,
    folder,
    stop: async () => {
      await server.process.stop();
      guard.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
