// One private Postgres and one private Redis for the whole jest run, started when the first test asks for them:
// runs of pure tests stay fast. Test files ask over HTTP, because jest gives each of them a process or a realm.
import './typescript-loader.mjs';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
  const logs = mkdtempSync(join(tmpdir(), 'weir-test-logs-'));
  process.env.WEIR_TEST_LOGS = logs;
  process.env.WEIR_TEST_HAS_REDIS = redisServer === null ? 'no' : 'yes';
  globalThis.stopTestServices = async () => {
    server.close();
    // A start that failed was reported to the tests that asked for it.
    const running = await services?.catch(() => null);
    const { secretsInLogs } = await import('./planted-secrets.ts');
    const secrets = [...secretsInLogs(logs), ...((await running?.search()) ?? [])];
    rmSync(logs, { recursive: true, force: true });
    await running?.stop();
    tellSecrets(secrets);
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
    search: async () => [
      ...(await searchDatabases(postgres.url)),
      ...(redis === null ? [] : await searchRedis(redis.url)),
    ],
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

/** Databases are searched when they are dropped; these are what files that failed have left. */
async function searchDatabases(adminUrl) {
  const { secretsInDatabase } = await import('./planted-secrets.ts');
  const { default: postgres } = await import('postgres');
  const admin = postgres(adminUrl, { max: 1 });
  const left = await admin`select datname from pg_database where datname like 'test\\_%'`;
  await admin.end();
  const found = [];
  for (const { datname } of left) {
    const sql = postgres(adminUrl.replace(/\/postgres$/, `/${datname}`), { max: 1 });
    found.push(...(await secretsInDatabase(sql)));
    await sql.end();
  }
  return found;
}

async function searchRedis(url) {
  const { secretsInRedis } = await import('./planted-secrets.ts');
  const { Redis } = await import('ioredis');
  const redis = new Redis(url);
  try {
    return await secretsInRedis(redis);
  } finally {
    redis.disconnect();
  }
}

/** To `npm test`, which fails for them, or to whoever runs jest alone. */
function tellSecrets(secrets) {
  const file = process.env.WEIR_TEST_SECRETS_FOUND;
  if (file !== undefined) writeFileSync(file, JSON.stringify(secrets));
  if (secrets.length > 0) console.error(`Secrets of tests were found where none may be:\n${secrets.join('\n')}`);
}
