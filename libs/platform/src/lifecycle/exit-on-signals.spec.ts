import { createLogger } from '../logging/index.js';
import { exitOnSignals } from './exit-on-signals.js';
import { createShutdown } from './shutdown.js';

const logger = createLogger({ name: 'test', level: 'silent' });

describe('signals', () => {
  const exits: unknown[] = [];
  let stop = (): void => undefined;
  let now = 0;

  const clock = performance.now.bind(performance);
  const exit = process.exit.bind(process);

  beforeEach(() => {
    performance.now = () => now;
    process.exit = (code) => {
      exits.push(code);
      return undefined as never;
    };
  });
  afterEach(() => {
    stop();
    performance.now = clock;
    process.exit = exit;
  });

  it('begin the shutdown; a second one exits at once, but not the other half of one key press', () => {
    const shutdown = createShutdown(logger);
    // A step that hangs: nothing but a second signal ends the process now.
    shutdown.add({ name: 'hangs', timeoutMs: 600_000, run: () => new Promise(() => undefined) });
    stop = exitOnSignals(shutdown, logger, (code) => void exits.push(`in order: ${code}`));
    process.emit('SIGTERM', 'SIGTERM');
    expect(shutdown.signal.aborted).toBe(true);
    now = 100;
    process.emit('SIGTERM', 'SIGTERM');
    expect(exits).toEqual([]);
    now = 1_000;
    process.emit('SIGTERM', 'SIGTERM');
    expect(exits).toEqual([130]);
  });

  it('end it with its code when its steps are done', async () => {
    const shutdown = createShutdown(logger);
    const ended = new Promise<number>((resolve) => (stop = exitOnSignals(shutdown, logger, resolve)));
    process.emit('SIGINT', 'SIGINT');
    expect(await ended).toBe(0);
  });
});
