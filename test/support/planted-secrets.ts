import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type postgres from 'postgres';

/**
 * Every secret that a test hands to Weir carries this mark. After each test file its database is searched for it, after the
 * run the logs of all tests and all that is left in Redis: found anywhere, the run fails. Keys of the API and secrets that
 * sign webhooks, which Weir makes itself, are found by their form.
 */
const MARK = 'weirplanted';

/** A secret for a test; `name` says which, and makes it differ from others. */
export const plantedSecret = (name: string): string => `${MARK}-${name}-9f3a7c51d2`;

const API_KEY = 'weir_[A-Za-z0-9]+_[A-Za-z0-9_-]{20,}';
const SIGNING_SECRET = 'whsec_[A-Za-z0-9+/]{24,}';
/** What signs and what is checked by it cannot be kept as a hash. */
const KEEP_SIGNING_SECRETS = new Set(['webhook_endpoint', 'hook']);
/** The mark as it is, as base64 of any alignment, as hex. Good for Postgres and JavaScript alike. */
const FORMS = [MARK, ...base64Forms(MARK), Buffer.from(MARK).toString('hex'), API_KEY, SIGNING_SECRET].join('|');
const PATTERN = new RegExp(`.{0,40}(?:${FORMS}).{0,40}`, 'g');

/** The part of the base64 text that does not depend on what stands before and behind. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from('x'.repeat(shift) + text).toString('base64');
    const first = Math.ceil((shift * 4) / 3);
    const whole = Math.floor(((shift + text.length) * 8) / 6);
    return encoded.slice(first, whole);
  });
}

/** Where in a text secrets stand, with what is around them; empty when there are none. */
export const secretsInText = (text: string): string[] => [...text.matchAll(PATTERN)].map(([found]) => found);

/** `place: text` of every secret in any column of any table of a database, at most three a table. */
export async function secretsInDatabase(sql: postgres.Sql): Promise<string[]> {
  const tables = await sql<{ schema: string; name: string }[]>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  const found: string[] = [];
  for (const { schema, name } of tables) {
    const rows = await sql<{ row: string }[]>`
      select t::text as row from ${sql(schema)}.${sql(name)} t where t::text ~ ${FORMS} limit 3`;
    const isKept = (text: string): boolean => KEEP_SIGNING_SECRETS.has(name) && text.includes('whsec_');
    const secrets = rows.flatMap(({ row }) => secretsInText(row)).filter((text) => !isKept(text));
    found.push(...secrets.map((text) => `${schema}.${name}: ${text}`));
  }
  return found;
}

/** `key: text` of every secret in any value or key of a Redis. */
export async function secretsInRedis(redis: Redis): Promise<string[]> {
  const found: string[] = [];
  for (const key of await redis.keys('*')) {
    const [command = 'TYPE', ...range] = READ[await redis.type(key)] ?? [];
    const value = await redis.call(command, key, ...range);
    found.push(...secretsInText(JSON.stringify([key, value])).map((text) => `${key}: ${text}`));
  }
  return found;
}

/** How a value of each type is read whole. */
const READ: { [type: string]: string[] } = {
  string: ['GET'],
  hash: ['HGETALL'],
  list: ['LRANGE', '0', '-1'],
  set: ['SMEMBERS'],
  zset: ['ZRANGE', '0', '-1'],
  stream: ['XRANGE', '-', '+'],
};

/** Where tests keep their logs; null when nobody will look (a process that is no test). */
const logFolder = (): string | null => process.env['WEIR_TEST_LOGS'] ?? null;

/** Keeps what was logged until the run ends, when it is searched. */
export function keepLog(text: string): void {
  const folder = logFolder();
  if (folder !== null && existsSync(folder)) appendFileSync(join(folder, `${process.pid}.log`), `${text}\n`);
}

/** `file: text` of every secret in the logs that tests kept. */
export function secretsInLogs(folder: string): string[] {
  return readdirSync(folder).flatMap((file) =>
    secretsInText(readFileSync(join(folder, file), 'utf8')).map((text) => `log ${file}: ${text}`),
  );
}
