import { isContention, violatedUniqueIndex } from '../database-error.js';

const ATTEMPTS = 6;
const FIRST_DELAY_MS = 5;

/**
 * Repeats work that lost against another transaction: a serialization failure, a deadlock, or an event id that another
 * transaction committed meanwhile (which the next attempt finds as stored). Full jitter, doubled from 5 ms.
 */
export async function retryContention<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const mayPass = isContention(error) || violatedUniqueIndex(error) === 'event_by_id';
      if (!mayPass || attempt === ATTEMPTS) throw error;
      const bound = FIRST_DELAY_MS * 2 ** attempt;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * bound));
    }
  }
}
