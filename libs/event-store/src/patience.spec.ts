import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { waitFor } from '../../../test/support/index.js';
import { Patience } from './patience.js';

const never = (): Promise<never> => new Promise(() => undefined);
const AWAY = { code: 'database_unavailable', details: { reason: 'silence' } };

describe('patience with a database', () => {
  it('gives a slow operation its whole time while the database answers otherwise', async () => {
    let probes = 0;
    const probe = async (): Promise<void> => void (probes += 1);
    const patience = new Patience({ operationMs: 60_000, suspectMs: 1, probeMs: 60_000 }, probe);
    const slow = patience.within(() => waitFor(() => (probes > 2 ? 'done' : null)));
    await expect(slow).resolves.toBe('done');
  });

  it('takes an error of the probe for an answer', async () => {
    let probes = 0;
    const probe = (): Promise<void> => ((probes += 1), Promise.reject(new Error('too many clients')));
    const patience = new Patience({ operationMs: 60_000, suspectMs: 1, probeMs: 60_000 }, probe);
    await expect(patience.within(() => waitFor(() => probes > 2))).resolves.toBe(true);
  });

  it('does not take its own standing still for the silence of the database', async () => {
    let probes = 0;
    // The answer is there while the process stands still, and is heard after the timers that were due meanwhile.
    const probe = async (): Promise<void> => {
      await setImmediate();
      const answer = stat(import.meta.filename);
      const until = performance.now() + 300;
      while (performance.now() < until);
      await answer;
      probes += 1;
    };
    const patience = new Patience({ operationMs: 60_000, suspectMs: 5, probeMs: 200 }, probe);
    await expect(patience.within(() => waitFor(() => probes > 0))).resolves.toBe(true);
  });

  it('fails all that waits when the database is silent, then everything at once, until it speaks again', async () => {
    let speaks = false;
    const probe = (): Promise<void> => (speaks ? Promise.resolve() : never());
    const patience = new Patience({ operationMs: 60_000, suspectMs: 5, probeMs: 5 }, probe);
    const waiting = [patience.within(never), patience.within(never)];
    for (const one of waiting) await expect(one).rejects.toMatchObject(AWAY);
    let asked = 0;
    const ask = (): Promise<number> => Promise.resolve((asked += 1));
    await expect(patience.within(ask)).rejects.toMatchObject(AWAY);
    expect(asked).toBe(0);
    speaks = true;
    await expect(waitFor(() => patience.within(ask))).resolves.toBe(1);
  });
});
