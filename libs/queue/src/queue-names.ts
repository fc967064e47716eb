/** Queues are named once, here; a queue's name may not hold a colon (BullMQ joins key parts with it). */
export const STEPS_QUEUE = 'steps';
export const COMPACTIONS_QUEUE = 'compactions';

/**
 * The prefix of every key in Redis, as a hash tag: on a cluster all keys of one installation lie in one slot,
 * else BullMQ's scripts over several keys fail with CROSSSLOT.
 */
export function hashTagged(prefix: string): string {
  return `{${prefix}}`;
}
