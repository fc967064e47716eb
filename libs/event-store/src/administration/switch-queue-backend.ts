import type { Session } from '../session.js';

/**
 * Records another queue backend and forgets the queue's epoch, so that the next process dispatches everything
 * outstanding again. Only for whoever knows that no process of the installation runs: `weir up`, which holds the
 * lock of the data folder. Returns whether the backend was another one.
 */
export async function switchQueueBackend(session: Session, backend: 'redis' | 'postgres'): Promise<boolean> {
  const changed = await session`
    update installation set value = to_jsonb(${backend}::text), updated_at = now()
    where name = 'queue_backend' and value <> to_jsonb(${backend}::text) returning name`;
  if (changed.length === 0) return false;
  await session`delete from installation where name = 'queue_epoch'`;
  return true;
}
