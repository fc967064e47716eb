import {
  chooseBackends,
  findRedisServer,
  searchPath,
  startEmbeddedPostgres,
  startPrivateRedis,
  type BackendChoice,
  type Guard,
  type ManagedProcess,
  type QueueBackend,
  type Settings,
} from '#libs/platform';

export const GIVEN_REDIS = 'Redis, REDIS_URL';

export type BackingServices = {
  readonly postgresUrl: string;
  readonly redisUrl: string | null;
  readonly queueBackend: QueueBackend;
  /** Started here, so nobody else uses it. */
  readonly isPostgresOurs: boolean;
  /** Sentences for people: what was chosen and why. */
  readonly postgresNote: string;
  readonly queueNote: string;
  /** Those that were started here, in the order in which they should end. */
  readonly started: readonly ManagedProcess[];
};

/** Postgres and Redis: given by address, found on the machine, or embedded. Starts what has to be started. */
export async function startBackingServices(
  settings: Settings,
  options: { readonly dataDir: string; readonly embedded: boolean; readonly guard: Guard },
): Promise<BackingServices> {
  const choice = chooseBackends({
    databaseUrl: settings.database.url,
    redisUrl: settings.queue.redisUrl,
    redisServer: findRedisServer(searchPath()),
    embedded: options.embedded,
  });
  const [postgres, queue] = await Promise.all([
    startPostgres(choice.postgres, options.dataDir, options.guard),
    startQueue(choice.queue, options.dataDir, options.guard),
  ]);
  return {
    postgresUrl: postgres.url,
    redisUrl: queue.url,
    queueBackend: queue.url === null ? 'postgres' : 'redis',
    isPostgresOurs: postgres.process !== null,
    postgresNote: postgres.note,
    queueNote: queue.note,
    started: [queue.process, postgres.process].filter((process) => process !== null),
  };
}

type Started<Url> = { readonly url: Url; readonly note: string; readonly process: ManagedProcess | null };

async function startPostgres(
  choice: BackendChoice['postgres'],
  dataDir: string,
  guard: Guard,
): Promise<Started<string>> {
  switch (choice.kind) {
    case 'given':
      return { url: choice.url, note: 'DATABASE_URL', process: null };
    case 'embedded': {
      const { url, process } = await startEmbeddedPostgres({ dataDir, durable: true, guard });
      return { url, note: 'embedded, kept in the data folder', process };
    }
  }
}

async function startQueue(
  choice: BackendChoice['queue'],
  dataDir: string,
  guard: Guard,
): Promise<Started<string | null>> {
  switch (choice.kind) {
    case 'given':
      return { url: choice.url, note: GIVEN_REDIS, process: null };
    case 'private': {
      const { url, process } = await startPrivateRedis({ binary: choice.binary, dataDir, guard });
      return { url, note: `Redis, ${choice.binary}`, process };
    }
    case 'postgres':
      return { url: null, note: `Postgres (${choice.reason}); for development, not for production`, process: null };
  }
}
