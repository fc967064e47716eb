import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { secretsInDatabase } from './planted-secrets.js';
import { waitFor } from './wait-for.js';

type Addresses = { databaseUrl: string; template: string; redisUrl: string | null };

let addresses: Promise<Addresses> | null = null;

async function services(): Promise<Addresses> {
  addresses ??= askForServices();
  return addresses;
}

async function askForServices(): Promise<Addresses> {
  const address = process.env['WEIR_TEST_SERVICES'];
  if (address === undefined)
    throw new Error('No test services: jest must run with globalSetup test/support/global-setup.mjs.');
  const response = await fetch(address, { signal: AbortSignal.timeout(120_000) });
  const answer = (await response.json()) as Addresses & { error?: string };
  if (answer.error !== undefined) throw new Error(`The test services did not start: ${answer.error}`);
  return answer;
}

export type TestDatabase = {
  readonly url: string;
  readonly name: string;
  /** Drops the database. Fails when a connection to it is still open (something was not closed) or it holds a secret. */
  readonly drop: () => Promise<void>;
};

/** A migrated database of its own, copied from the template. Call it in `beforeAll`, `drop` in `afterAll`. */
export async function createTestDatabase(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  const { databaseUrl, template } = await services();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(databaseUrl, (sql) =>
    sql.unsafe(`create database ${name} template ${options.migrated === false ? 'template0' : template}`),
  );
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return { url: url.href, name, drop: () => dropDatabase(databaseUrl, url.href, name) };
}

async function dropDatabase(adminUrl: string, url: string, name: string): Promise<void> {
  const secrets = await asAdmin(url, secretsInDatabase);
  const leaks = await asAdmin(adminUrl, async (sql) => {
    const open = () =>
      sql<{ application_name: string; query: string }[]>`
        select application_name, left(query, 200) as query from pg_stat_activity
        where datname = ${name} and backend_type = 'client backend'`;
    // A closed connection leaves the list a moment after its client has gone.
    const left = await waitFor(async () => ((await open()).length === 0 ? 'none' : null), { timeoutMs: 2000 }).catch(
      open,
    );
    await sql.unsafe(`drop database ${name} with (force)`);
    return left === 'none' ? [] : left;
  });
  if (secrets.length > 0) throw new Error(`secrets were stored in ${name}:\n${secrets.join('\n')}`);
  if (leaks.length === 0) return;
  const list = leaks.map((leak) => `  ${leak.application_name}: ${leak.query}`).join('\n');
  throw new Error(
    `${leaks.length} connections to ${name} were still open after the test file; close them in afterAll:\n${list}`,
  );
}

/** Runs SQL on the test server, outside of the test databases. */
async function asAdmin<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

export type TestRedis = { readonly url: string; readonly prefix: string };

/** Whether this machine has a Redis to test with; the reason stands in the names of skipped tests. */
export const hasRedis = process.env['WEIR_TEST_HAS_REDIS'] === 'yes';

/**
 * The run's Redis and a key prefix of one's own: files run beside each other and must not `FLUSHALL`.
 * For tests about Redis itself, inside `describeRedis`.
 */
export async function testRedis(): Promise<TestRedis> {
  const { redisUrl } = await services();
  if (redisUrl === null) throw new Error('No Redis on this machine: put this test into describeRedis().');
  return { url: redisUrl, prefix: uniquePrefix() };
}

export type TestQueue =
  | { readonly backend: 'redis'; readonly redisUrl: string; readonly prefix: string }
  /** BullMQ's own schema in the test's database. */
  | { readonly backend: 'postgres'; readonly redisUrl: null; readonly prefix: string };

/** The queue that this machine's tests run on: Redis where there is one, else the Postgres backend. */
export async function testQueue(): Promise<TestQueue> {
  const { redisUrl } = await services();
  const prefix = uniquePrefix();
  return redisUrl === null ? { backend: 'postgres', redisUrl, prefix } : { backend: 'redis', redisUrl, prefix };
}

function uniquePrefix(): string {
  return `t${randomBytes(6).toString('hex')}`;
}

/** A group of tests that are about Redis itself: skipped, with the reason in its name, where there is none. */
export function describeRedis(name: string, tests: () => void): void {
  if (hasRedis) describe(name, tests);
  else describe.skip(`${name} (skipped: neither valkey-server nor redis-server on PATH)`, tests);
}
