import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { startEmbeddedPostgres, type RunningService } from './embedded-postgres.js';
import { startGuard } from './guard.js';
import { sharedTemporaryFolder } from './postgres-binaries.js';
import { serviceFolder } from './service-folder.js';
import { serviceUser } from './service-user.js';

const guard = startGuard();
afterAll(() => guard.close());

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

describe('embedded Postgres', () => {
  let dataDir: string;
  let server: RunningService | null = null;
  const start = async (durable = false): Promise<RunningService> => {
    server = await startEmbeddedPostgres({ dataDir, durable, guard });
    return server;
  };
  beforeEach(() => {
    dataDir = mkdtempSync(join(sharedTemporaryFolder(), 'weir-pg-spec-'));
    chmodSync(dataDir, 0o711);
    guard.removeAtEnd(dataDir);
  });
  afterEach(async () => {
    await server?.process.stop();
    const folder = serviceFolder(dataDir, serviceUser());
    for (const path of [folder, dataDir]) rmSync(path, { recursive: true, force: true });
  });

  it('keeps its data over a crash when durable, and asks for a password', async () => {
    const { url, process: first } = await start(true);
    await query(url, `create table kept as select 'ä' as word`);
    expect(await query(url, 'show fsync')).toEqual([{ fsync: 'on' }]);
    await expect(query(url.replace(/:[^:@]*@/, ':wrong@'), 'select 1')).rejects.toThrow(/password/);
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const again = await start(true);
    expect(await query(again.url, 'select word from kept')).toEqual([{ word: 'ä' }]);
  });

  it('starts although its pid file names a live process of another kind', async () => {
    const { process: first } = await start();
    await first.stop();
    const pidFile = join(serviceFolder(dataDir, serviceUser()), 'postgres', 'postmaster.pid');
    writeFileSync(pidFile, `${process.pid}\n`);
    const again = await start();
    expect(await query(again.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('refuses data of another major version', async () => {
    const { process: first } = await start();
    await first.stop();
    writeFileSync(join(serviceFolder(dataDir, serviceUser()), 'postgres', 'PG_VERSION'), '12\n');
    await expect(startEmbeddedPostgres({ dataDir, durable: false, guard })).rejects.toMatchObject({
      code: 'postgres_version_mismatch',
    });
  });

  it('moves out of a folder that its user cannot enter, and comes back to the same place', async () => {
    if (process.getuid?.() !== 0) return;
    chmodSync(dataDir, 0o700);
    const { url, process: first } = await start();
    await query(url, 'create table kept (n int)');
    const place = readFileSync(join(dataDir, 'services-folder'), 'utf8').trim();
    guard.removeAtEnd(place);
    expect(existsSync(join(place, 'postgres', 'PG_VERSION'))).toBe(true);
    await first.stop();
    const again = await start();
    expect(await query(again.url, `select to_regclass('kept')::text as name`)).toEqual([{ name: 'kept' }]);
  });
});
