import { DEFAULT_QUEUE_SCHEMA, type PostgresQueueSettings } from '../queue-settings.js';

/** BullMQ migrates its schema itself, under an advisory lock: any number of processes may start at once. */
export function postgresConnectionOptions(settings: PostgresQueueSettings): {
  connectionString: string;
  schema: string;
  migrate: true;
  max: number;
} {
  return { connectionString: settings.url, schema: settings.schema ?? DEFAULT_QUEUE_SCHEMA, migrate: true, max: 4 };
}
