import { Redis } from 'ioredis';
import { describeRedis, testRedis } from '../../../../test/support/index.js';
import { writeOnceATurn } from './one-write-a-turn.js';

describeRedis('commands of one turn of the event loop', () => {
  let client: Redis;
  beforeEach(async () => {
    const { url } = await testRedis();
    client = new Redis(url, { lazyConnect: true });
    client.on('error', () => undefined);
    writeOnceATurn(client);
    await client.connect();
  });
  afterEach(() => client.disconnect());

  /** How many times the client's socket was written to. */
  async function writesOf(work: () => Promise<unknown>): Promise<number> {
    const { stream } = client;
    let writes = 0;
    for (const name of ['_write', '_writev'] as const) {
      const write = stream[name]!.bind(stream) as (...args: unknown[]) => void;
      stream[name] = (...args: unknown[]) => {
        writes += 1;
        write(...args);
      };
    }
    await work();
    return writes;
  }

  const echo = (n: number): Promise<string> => client.echo(`${n}`);

  it('leave in one write, and are answered in their order', async () => {
    let answers: string[] = [];
    const writes = await writesOf(async () => {
      answers = await Promise.all([1, 2, 3].map(echo));
    });
    expect([answers, writes]).toEqual([['1', '2', '3'], 1]);
  });

  it('of several turns leave with each of them', async () => {
    const writes = await writesOf(async () => {
      for (const n of [1, 2]) await echo(n);
    });
    expect(writes).toBe(2);
  });

  it('do so again after the connection was lost', async () => {
    const back = new Promise((resolve) => client.once('ready', resolve));
    client.stream.destroy();
    await back;
    await expect(writesOf(() => Promise.all([1, 2, 3].map(echo)))).resolves.toBe(1);
  });
});
