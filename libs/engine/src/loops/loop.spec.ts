import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../../test/support/index.js';
import type { EngineLogger } from '../engine-deps.js';
import { startLoop, stopTurning } from './loop.js';

function recordingLogger(): EngineLogger & { lines: string[] } {
  const lines: string[] = [];
  const note = (_fields: unknown, message: string): void => void lines.push(message);
  return { lines, debug: note, info: note, warn: note, error: note };
}

describe('a loop', () => {
  it('goes on after turns that throw, and logs the fault and its end once', async () => {
    const logger = recordingLogger();
    let turns = 0;
    const loop = startLoop(
      {
        name: 'relay',
        everyMs: 1,
        turn: () => {
          turns += 1;
          return turns < 5 ? Promise.reject(new Error('bad row')) : Promise.resolve(false);
        },
      },
      logger,
    );
    await waitFor(() => turns > 6);
    await expect(loop.stop(1000)).resolves.toEqual([]);
    expect(logger.lines).toEqual(['a turn failed; the next one tries again', 'the loop works again']);
  });

  it('begins the next turn at once when woken, also by a wake-up during a turn', async () => {
    let turns = 0;
    let finish: () => void = () => undefined;
    const loop = startLoop(
      {
        name: 'relay',
        everyMs: 3_600_000,
        turn: () =>
          new Promise<boolean>((resolve) => {
            turns += 1;
            finish = () => resolve(false);
          }),
      },
      recordingLogger(),
    );
    loop.wake();
    expect(turns).toBe(1);
    finish();
    await waitFor(() => turns === 2);
    finish();
    await delay(20);
    expect(turns).toBe(2);
    loop.wake();
    await waitFor(() => turns === 3);
    finish();
    await expect(loop.stop(1000)).resolves.toEqual([]);
  });

  it('goes on without a pause while there is more to do', async () => {
    let left = 100;
    const loop = startLoop(
      { name: 'relay', everyMs: 3_600_000, turn: () => Promise.resolve((left -= 1) > 0) },
      recordingLogger(),
    );
    await waitFor(() => left === 0);
    await loop.stop(1000);
  });

  it('stops within its bound although a turn hangs, and tells the turn by its signal', async () => {
    let seen: AbortSignal | null = null;
    const loop = startLoop(
      { name: 'sweep', everyMs: 1, turn: (signal) => new Promise<boolean>(() => (seen = signal)) },
      recordingLogger(),
    );
    const start = performance.now();
    await expect(loop.stop(30)).resolves.toEqual(['sweep']);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(seen).toHaveProperty('aborted', true);
  });

  it('is named when its turn does not end in time', async () => {
    const endless = { everyMs: 1, turn: () => new Promise<boolean>(() => undefined) };
    const idle = startLoop({ name: 'relay', everyMs: 1, turn: () => Promise.resolve(false) }, recordingLogger());
    const loops = ['epoch', 'sweep'].map((name) => startLoop({ name, ...endless }, recordingLogger()));
    await expect(stopTurning([idle, ...loops], 30)).rejects.toThrow(
      'still in a turn 30 ms after the stop: epoch, sweep',
    );
  });
});
