import { failing, fine, type Finding } from '#libs/domain';
import { inspectQueue } from '#libs/queue';
import { awaitServices } from './await-services.js';

const signal = new AbortController().signal;
const nowhere = async (): Promise<readonly Finding[]> =>
  (await inspectQueue({ kind: 'redis', url: 'redis://127.0.0.1:1', prefix: 'up', commandTimeoutMs: 10_000 })).findings;
const what = { id: 'schema', found: 'missing', expected: 'there', isNeeded: true };

describe('the start before its servers are there', () => {
  it('says at once what is missing, again while it waits, and ends with what it was', async () => {
    const said: string[] = [];
    const waiting = { look: nowhere, say: (text: string) => said.push(text), signal };
    await expect(awaitServices({ ...waiting, withinMs: 300, everyMs: 5, sayEveryMs: 0 })).rejects.toMatchObject({
      code: 'service_unreachable',
      message: expect.stringMatching(/^After \d+ s still: no connection to Redis: .*ECONNREFUSED.*REDIS_URL$/),
      details: { check: 'redis' },
    });
    expect(said.length).toBeGreaterThan(1);
    expect(said[0]).toMatch(/^Waiting \(0 of 0 s\): no connection to Redis: .*ECONNREFUSED/);
  });

  it('goes on as soon as they are there, and does not wait for the schema that it brings', async () => {
    const answers = [[failing({ ...what, id: 'redis' }, 'start it')], [failing(what, 'migrate')]];
    const said: string[] = [];
    const look = async (): Promise<Finding[]> => answers.shift() ?? [fine(what)];
    await awaitServices({ look, say: (text) => said.push(text), signal, everyMs: 1 });
    expect(answers).toEqual([]);
    expect(said).toHaveLength(1);
  });

  it('ends at once where waiting does not help', async () => {
    const final: Finding = { ...failing({ ...what, found: 'another queue' }, 'use one'), isFinal: true };
    await expect(awaitServices({ look: async () => [final], say: () => undefined, signal })).rejects.toMatchObject({
      message: 'another queue; expected there: use one',
    });
  });
});
