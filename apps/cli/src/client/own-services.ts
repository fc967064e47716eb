import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { loadSettings, type Settings } from '#libs/platform';

const noted = z.object({
  postgres_url: z.string(),
  redis_url: z.string().nullable(),
  queue_backend: z.enum(['redis', 'postgres']),
});

/** In the data folder of `weir up`: where the servers are that it started, for commands that ask them themselves. */
const servicesFile = (dataDir: string): string => join(resolve(dataDir), 'services.json');

type Services = Pick<Settings['queue'], 'redisUrl'> & {
  readonly postgresUrl: string;
  readonly queueBackend: 'redis' | 'postgres';
  readonly isPostgresOurs: boolean;
};

/** Readable by their owner alone: the addresses hold passwords. Those that the environment gave are noted nowhere. */
export function noteServices(dataDir: string, services: Services): void {
  const file = servicesFile(dataDir);
  rmSync(file, { force: true });
  if (!services.isPostgresOurs) return;
  const { postgresUrl: postgres_url, redisUrl: redis_url, queueBackend: queue_backend } = services;
  writeFileSync(file, `${JSON.stringify({ postgres_url, redis_url, queue_backend })}\n`, { mode: 0o600 });
}

/** The settings of the environment; where it names no database, with the servers that `weir up` started. */
export function settingsOfInstallation(): Settings {
  const settings = loadSettings();
  const file = servicesFile(settings.dataDir);
  if (settings.database.url !== null || !existsSync(file)) return settings;
  const {
    postgres_url: url,
    redis_url: redisUrl,
    queue_backend: backend,
  } = noted.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { ...settings, database: { ...settings.database, url }, queue: { ...settings.queue, redisUrl, backend } };
}
