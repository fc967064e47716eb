import { AppError, failing, fine, warning, type Finding, type Json } from '#libs/domain';
import { judgeDatabase, readDatabaseFacts, type Database, type SchemaStanding } from '#libs/event-store';
import type { Settings } from '#libs/platform';
import { connectionsOfQueue, type QueueHealth } from '#libs/queue';
import { checkDataDir } from './check-data-dir.js';
import { judgeClock } from './judge-clock.js';

export type Surroundings = {
  settings: Pick<Settings, 'database' | 'dataDir'>;
  database: Pick<Database, 'run'>;
  schema: () => Promise<SchemaStanding>;
  queue: { kind: 'redis' | 'postgres'; health: () => Promise<QueueHealth> };
  /** The queue backend that the installation's processes use; null: none has started yet. */
  storedBackend: () => Promise<Json>;
  /** The installation's mark for the queue's data. Null: not compared, because this process sets it right itself. */
  storedEpoch: (() => Promise<Json>) | null;
  /** How many processes there will be; null: those that are connected now. */
  processes: number | null;
  nowMs?: () => number;
};

/**
 * Every check of what Weir stands on, for the start of a process and for `weir doctor` alike. Reads only, but for
 * `storedBackend`. Never throws for a server that is away: what cannot be asked is left out, and the reason stands first.
 */
export async function lookAround(around: Surroundings): Promise<Finding[]> {
  const [queue, dataDir] = await Promise.all([around.queue.health(), checkDataDir(around.settings.dataDir)]);
  const clock = queue.clock === null ? [] : [judgeClock('redis_clock', 'Redis', queue.clock)];
  return [...(await lookAtDatabase(around, queue)), ...queue.findings, ...clock, dataDir];
}

async function lookAtDatabase(around: Surroundings, health: QueueHealth): Promise<Finding[]> {
  const { settings, queue } = around;
  const what = { id: 'database', expected: 'a Postgres that answers', isNeeded: true };
  try {
    const facts = await readDatabaseFacts(around.database, around.nowMs);
    const judged = judgeDatabase(facts, {
      connectionsPerProcess: settings.database.poolSize + connectionsOfQueue(queue.kind),
      processes: around.processes,
      prepare: settings.database.prepare,
    });
    const schema = await lookAtSchema(around);
    // Without the tables there is nothing to compare with.
    const fit = schema.status === 'ok' ? await lookAtFit(around, health) : [];
    const clock = judgeClock('database_clock', 'Postgres', facts.clock);
    return [fine({ ...what, found: 'Postgres answers' }), ...judged, schema, ...fit, clock];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [failing({ ...what, found: error.message }, poolerAdvice(error) ?? 'start it, or correct DATABASE_URL')];
  }
}

/** PgBouncer's own words for the time-outs that Weir sends with each connection. */
function poolerAdvice(error: AppError): string | null {
  const { cause } = error;
  const isPooler = cause instanceof Error && cause.message.includes('unsupported startup parameter');
  return isPooler ? 'a pooler refuses what Weir asks for: set WEIR_PREPARE=false' : null;
}

async function lookAtSchema({ schema }: Surroundings): Promise<Finding> {
  const what = { id: 'schema', expected: 'all migrations of this version', isNeeded: true };
  try {
    const { ok, detail } = await schema();
    return ok
      ? fine({ ...what, found: detail })
      : failing({ ...what, found: detail }, 'run weir migrate of this version');
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'database_unavailable') throw error;
    // Another Weir's schema: this one never fits.
    return { ...failing({ ...what, found: error.message }, 'use the Weir that fits the schema'), isFinal: true };
  }
}

/** Whether the queue is the installation's. */
async function lookAtFit(around: Surroundings, health: QueueHealth): Promise<Finding[]> {
  const { queue, storedBackend, storedEpoch } = around;
  const backend = judgeBackend(queue.kind, await storedBackend());
  if (storedEpoch === null || queue.kind === 'postgres' || health.clock === null) return [backend];
  return [backend, judgeEpoch(health.epoch, await storedEpoch())];
}

function judgeBackend(kind: 'redis' | 'postgres', stored: Json): Finding {
  const what = { id: 'queue_backend', expected: `${kind}, as here`, isNeeded: true };
  if (stored === null) return fine({ ...what, found: 'no process of this installation has started yet' });
  if (stored === kind) return fine({ ...what, found: `the queue of all processes is on ${kind}` });
  const found = `the queue of this installation is on ${JSON.stringify(stored)}, here it would be on ${kind}: jobs of one are invisible to the other`;
  return { ...failing({ ...what, found }, 'give all processes the same REDIS_URL (or none)'), isFinal: true };
}

function judgeEpoch(found: string | null, stored: Json): Finding {
  const what = { id: 'queue_epoch', expected: "the installation's mark in Redis", isNeeded: false };
  if (stored === null) return fine({ ...what, found: 'no process of this installation has started yet' });
  if (found === stored) return fine({ ...what, found: 'Redis holds the data of this installation' });
  const detail = found === null ? 'Redis has lost its data' : 'Redis holds the data of another installation';
  return warning(
    { ...what, found: detail },
    found === null
      ? 'nothing, if a process runs: it dispatches everything outstanding again within a second'
      : 'give each installation a WEIR_QUEUE_PREFIX of its own',
  );
}
