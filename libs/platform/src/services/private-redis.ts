import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningService } from './embedded-postgres.js';
import { freePort } from './free-port.js';
import type { EndStage, Guard } from './guard.js';
import { startProcess, waitForLogLine } from './managed-process.js';

export type PrivateRedisOptions = {
  /** `valkey-server` or `redis-server`. */
  readonly binary: string;
  /** Its log goes to `logs/` below. Nothing else is written: Redis carries wake-ups, Postgres the truth. */
  readonly dataDir: string;
  readonly guard: Guard;
  /** Where a server is to be found that is started again; else any free port. */
  readonly port?: number;
};

const stopStages: readonly EndStage[] = [
  { signal: 'SIGTERM', afterMs: 0 },
  { signal: 'SIGKILL', afterMs: 3000 },
];

/** @throws AppError `service_not_started` with the end of the server's log. */
export async function startPrivateRedis(options: PrivateRedisOptions, attempt = 1): Promise<RunningService> {
  const port = options.port ?? (await freePort());
  const logs = join(options.dataDir, 'logs');
  mkdirSync(logs, { recursive: true });
  const log = join(logs, 'redis.log');
  const settings = {
    port,
    bind: '127.0.0.1',
    save: "''",
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
    'always-show-logo': 'no',
  };
  const server = await startProcess({
    name: 'Redis',
    command: options.binary,
    args: ['-'],
    stdin: `${Object.entries(settings)
      .map(([name, value]) => `${name} ${value}`)
      .join('\n')}\n`,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    cwd: options.dataDir,
    output: { file: log },
    guard: options.guard,
    stopWith: stopStages,
    orphanedWith: stopStages,
  });
  try {
    await waitForLogLine(server, log, 'ready to accept connections', 20_000);
  } catch (error) {
    await server.stop();
    const isPortTaken = readFileSync(log, 'utf8').toLowerCase().includes('address already in use');
    if (isPortTaken && options.port === undefined && attempt < 3) return startPrivateRedis(options, attempt + 1);
    throw error;
  }
  return { url: `redis://127.0.0.1:${port}`, pid: server.pid, process: server };
}
