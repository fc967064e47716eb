import {
  chooseBackends,
  findRedisServer,
  searchPath,
  startEmbeddedPostgres,
  startPrivateRedis,
  type BackendChoice,
  type Guard,
  type QueueBackend,
  type Settings,
} from '#libs/platform';
import { SupervisedServer } from './supervised-server.js';

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
  readonly started: readonly SupervisedServer[];
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
    isPostgresOurs: postgres.server !== null,
    postgresNote: postgres.note,
    queueNote: queue.note,
    started: [queue.server, postgres.server].filter((server) => server !== null),
  };
}

type Started<Url> = { readonly url: Url; readonly note: string; readonly server: SupervisedServer | null };

async function startPostgres(
  choice: BackendChoice['postgres'],
  dataDir: string,
  guard: Guard,
): Promise<Started<string>> {
  switch (choice.kind) {
    case 'given':
      return { url: choice.url, note: 'DATABASE_URL', server: null };
    case 'embedded': {
      const server = await SupervisedServer.start((port) =>
        startEmbeddedPostgres({ dataDir, durable: true, guard, ...(port === undefined ? {} : { port }) }),
      );
      return { url: server.url, note: 'embedded, kept in the data folder', server };
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
      return { url: choice.url, note: GIVEN_REDIS, server: null };
    case 'private': {
      const { binary } = choice;
      const server = await SupervisedServer.start((port) =>
        startPrivateRedis({ binary, dataDir, guard, ...(port === undefined ? {} : { port }) }),
      );
      return { url: server.url, note: `Redis, ${binary}`, server };
    }
    case 'postgres':
      return { url: null, note: `Postgres (${choice.reason}); for development, not for production`, server: null };
  }
}
