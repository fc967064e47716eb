import { Redis } from 'ioredis';
import postgres from 'postgres';
import { createTestDatabase, describeRedis, testQueue, testRedis, waitFor } from './index.js';
import { plantedSecret, secretsInRedis, secretsInText } from './planted-secrets.js';

describe('test support', () => {
  it('gives each caller a database of its own', async () => {
    const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const sql = postgres(first.url, { max: 1 });
    await sql`create table only_here (n int)`;
    await sql.end();
    const other = postgres(second.url, { max: 1 });
    const [row] = await other`select to_regclass('only_here') as found`;
    await other.end();
    await Promise.all([first.drop(), second.drop()]);
    expect(row?.['found']).toBeNull();
  });

  it('names a connection that was left open', async () => {
    const database = await createTestDatabase();
    const sql = postgres(database.url, { max: 1, connection: { application_name: 'forgotten' } });
    await sql`select 1`;
    await expect(database.drop()).rejects.toThrow('forgotten');
    await sql.end({ timeout: 1 }).catch(() => undefined);
  });

  it('offers a queue on whatever the machine has', async () => {
    const [first, second] = await Promise.all([testQueue(), testQueue()]);
    expect(first.prefix).not.toBe(second.prefix);
  });
});

describe('secrets of tests', () => {
  const secret = plantedSecret('found');

  it.each([
    ['as it is', `Bearer ${secret}`],
    ['as base64', Buffer.from(`user:${secret}`).toString('base64')],
    ['as base64 of another alignment', Buffer.from(`me:${secret}`).toString('base64url')],
    ['as base64 of the third alignment', Buffer.from(`you:${secret}`).toString('base64')],
    ['as hex', Buffer.from(secret).toString('hex')],
    ['as a key of the API', 'weir_0197abcdef_0123456789abcdefghijKLMN'],
    ['as what signs a webhook', `whsec_${Buffer.from('0123456789abcdefghij').toString('base64')}`],
  ])('are found %s', (_, text) => {
    expect(secretsInText(`before ${text} after`)).toHaveLength(1);
  });

  it('are found in any column of any table, which then cannot be dropped in silence', async () => {
    const database = await createTestDatabase();
    const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
    await sql`create schema other`;
    await sql`create table other.kept (n int, facts jsonb, words text[], raw bytea)`;
    await sql`insert into other.kept values
      (1, ${sql.json({ deep: [{ token: secret }] })}, null, null),
      (2, null, ${['nothing', secret]}, null),
      (3, null, null, ${Buffer.from(secret)})`;
    await sql.end();
    await expect(database.drop()).rejects.toThrow(/(other\.kept: .*){3}/s);
  });
});

describe('waitFor', () => {
  it('returns the first answer', async () => {
    let asked = 0;
    expect(await waitFor(() => ((asked += 1) === 3 ? 'there' : null), { everyMs: 1 })).toBe('there');
  });

  it('reports the last error when the deadline passes', async () => {
    const failure = waitFor(
      () => {
        throw new Error('still closed');
      },
      { what: 'an open door', timeoutMs: 20, everyMs: 5 },
    );
    await expect(failure).rejects.toMatchObject({
      message: 'an open door did not come within 20 ms',
      cause: new Error('still closed'),
    });
  });
});

describeRedis('the Redis of the run', () => {
  it('is searched for secrets whatever the type of a value', async () => {
    const { url, prefix } = await testRedis();
    const redis = new Redis(url);
    const secret = plantedSecret('redis');
    const keys = ['s', 'h', 'l', 'u', 'z', 'x'].map((type) => `${prefix}:${type}`) as [string, ...string[]];
    await redis.set(keys[0], secret);
    await redis.hset(keys[1]!, { data: secret });
    await redis.rpush(keys[2]!, secret);
    await redis.sadd(keys[3]!, secret);
    await redis.zadd(keys[4]!, 1, secret);
    await redis.xadd(keys[5]!, '*', 'data', secret);
    const found = await secretsInRedis(redis);
    await redis.del(...keys);
    redis.disconnect();
    for (const key of keys) expect(found.filter((place) => place.startsWith(key))).toHaveLength(1);
  });

  it('has an address', async () => {
    expect((await testRedis()).url).toMatch(/^redis:/);
  });
});
