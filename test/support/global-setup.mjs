// One private Postgres and one private Redis for the whole jest run, started when the first test asks for them:
// runs of pure tests stay fast. Test files ask over HTTP, because jest gives each of them a process or a realm.
import './typescript-loader.mjs';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('../../', import.meta.url);

export default async function globalSetup() {
  const { findRedisServer } = await import(new URL('libs/platform/src/services/backends.ts', root).href);
  const redisServer = process.env.WEIR_TEST_QUEUE === 'postgres' ? null : findRedisServer(process.env.PATH);
  let services = null;
  const server = createServer((request, response) => {
    request.resume();
    // A kept connection may be closed just as the next test file uses it.
    response.setHeader('connection', 'close');
    services ??= startServices(redisServer);
    services.then(
      ({ addresses }) => response.end(JSON.stringify(addresses)),
      (error) => {
        response.statusCode = 500;
        response.end(JSON.stringify({ error: error.stack }));
      },
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  process.env.WEIR_TEST_SERVICES = `http://127.0.0.1:${server.address().port}/`;
  process.env.WEIR_TEST_HAS_REDIS = redisServer === null ? 'no' : 'yes';
  globalThis.stopTestServices = async () => {
    server.close();
    // A start that failed was reported to the tests that asked for it.
    const running = await services?.catch(() => null);
    await running?.stop();
  };
}

async function startServices(redisServer) {
  const platform = await import(new URL('libs/platform/src/services/index.ts', root).href);
  // Not `tmpdir()`: root's servers run as another user, which a TMPDIR of one's own may keep out.
  const folder = mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'weir-test-'));
  chmodSync(folder, 0o711);
  const guard = platform.startGuard();
  guard.removeAtEnd(folder);
  const [postgres, redis] = await Promise.all([
    platform.startEmbeddedPostgres({ dataDir: folder, durable: false, guard, maxConnections: 300 }),
    redisServer === null ? null : platform.startPrivateRedis({ binary: redisServer, dataDir: folder, guard }),
  ]);
  const template = await createTemplate(postgres.url);
  return {
    addresses: { databaseUrl: postgres.url, template, redisUrl: redis?.url ?? null },
    stop: async () => {
      await Promise.all([postgres.process.stop(), redis?.process.stop()]);
      rmSync(folder, { recursive: true, force: true });
      guard.close();
    },
  };
}

/** The database that each test file copies: migrated once. */
async function createTemplate(adminUrl) {
  const name = 'weir_template';
  const { default: postgres } = await import('postgres');
  const sql = postgres(adminUrl, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`create database ${name}`);
  await sql.end();
  const store = new URL('libs/event-store/src/index.ts', root);
  const hasMigrations = readdirSync(new URL('migrations/', root)).some((file) => /^\d+.*\.sql$/.test(file));
  if (hasMigrations && existsSync(store)) {
    const { migrate } = await import(store.href);
    await migrate(adminUrl.replace(/\/postgres$/, `/${name}`));
  }
  return name;
}
