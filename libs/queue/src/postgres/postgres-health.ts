import { failing, warning, type Finding } from '#libs/domain';
import type { Pool } from 'pg';
import { queueHealth, type QueueHealth } from '../queue-health.js';

const what = { id: 'queue_on_postgres', expected: 'Redis in production', isNeeded: true };

export const onPostgres: Finding = warning(
  { ...what, found: 'the queue is on Postgres: lower rates' },
  'set REDIS_URL where more than development happens',
);

export async function postgresHealth(pool: Pool): Promise<QueueHealth> {
  try {
    await pool.query('select 1');
    return queueHealth([onPostgres]);
  } catch (error) {
    const found = `the queue on Postgres does not answer: ${error instanceof Error ? error.message : String(error)}`;
    return queueHealth([failing({ ...what, found }, 'look at the database')]);
  }
}
