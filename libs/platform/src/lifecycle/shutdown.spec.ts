import { pino } from 'pino';
import { createShutdown } from './shutdown.js';

const silent = pino({ level: 'silent' });

describe('shutdown', () => {
  it('runs the steps in order, once', async () => {
    const shutdown = createShutdown(silent);
    const ran: string[] = [];
    shutdown.add({ name: 'first', timeoutMs: 1000, run: async () => void ran.push('first') });
    shutdown.add({ name: 'second', timeoutMs: 1000, run: () => void ran.push('second') });
    const [one, two] = await Promise.all([shutdown.begin('test'), shutdown.begin('again', 9)]);
    expect(ran).toEqual(['first', 'second']);
    expect(one).toBe(two);
    expect(one).toEqual({ exitCode: 0, failed: [] });
    expect(shutdown.signal.aborted).toBe(true);
  });

  it('goes on past a step that hangs and one that throws, and tells', async () => {
    const shutdown = createShutdown(silent);
    const seen: AbortSignal[] = [];
    let isClosed = false;
    shutdown.add({
      name: 'hangs',
      timeoutMs: 20,
      run: (signal) => {
        seen.push(signal);
        return new Promise(() => undefined);
      },
    });
    shutdown.add({ name: 'throws', timeoutMs: 1000, run: () => Promise.reject(new Error('no')) });
    shutdown.add({ name: 'closes', timeoutMs: 1000, run: () => void (isClosed = true) });
    expect(await shutdown.begin('test')).toEqual({ exitCode: 1, failed: ['hangs', 'throws'] });
    expect(isClosed).toBe(true);
    expect(seen[0]?.aborted).toBe(true);
  });

  it('keeps an exit code that says more', async () => {
    const shutdown = createShutdown(silent);
    shutdown.add({ name: 'throws', timeoutMs: 1000, run: () => Promise.reject(new Error('no')) });
    expect((await shutdown.begin('test', 3)).exitCode).toBe(3);
  });
});
