import postgres from 'postgres';
import { createTestDatabase, describeRedis, testQueue, testRedis, waitFor } from './index.js';

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
  it('has an address', async () => {
    expect((await testRedis()).url).toMatch(/^redis:/);
  });
});
