import { AppError, failing, fine, type Finding } from '#libs/domain';
import { connect, peekFact, schemaStanding, type Database } from '#libs/event-store';
import type { Settings } from '#libs/platform';
import { inspectQueue, type QueueSettings } from '#libs/queue';
import { settingsOfInstallation } from '../client/own-services.js';
import { databaseUrl, lookAround, queueSettings } from '../../../runtime/src/index.js';

const what = { id: 'settings', expected: 'settings that a process accepts', isNeeded: true };
/** For one answer of a server; the command asks a dozen. */
const TIMEOUT_MS = 5000;

/** What `weir doctor` finds. Writes nothing, opens one connection to each server. */
export async function inspect(processes: number | null): Promise<Finding[]> {
  try {
    return await inspectServers(settingsOfInstallation(), processes);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [failing({ ...what, found: error.message }, 'correct the environment or weir.yml')];
  }
}

/** @throws AppError for settings that no process accepts. */
export async function inspectServers(settings: Settings, processes: number | null): Promise<Finding[]> {
  const queue = queueSettings(settings);
  const database = connect({
    ...{ url: databaseUrl(settings), poolSize: 1, prepare: settings.database.prepare },
    ...{ applicationName: 'weir doctor', operationTimeoutMs: TIMEOUT_MS },
  });
  try {
    return await examine(settings, queue, database, processes);
  } finally {
    await database.close();
  }
}

async function examine(
  settings: Settings,
  queue: QueueSettings,
  database: Database,
  processes: number | null,
): Promise<Finding[]> {
  const found = queue.kind === 'redis' ? `keys of the queue begin with {${queue.prefix}}` : 'complete';
  const findings = await lookAround({
    ...{ settings, database, processes },
    schema: () => schemaStanding(database),
    queue: { kind: queue.kind, health: () => inspectQueue(queue) },
    storedBackend: () => database.run((sql) => peekFact(sql, 'queue_backend')),
    storedEpoch: () => database.run((sql) => peekFact(sql, 'queue_epoch')),
  });
  return [fine({ ...what, found }), ...findings];
}
