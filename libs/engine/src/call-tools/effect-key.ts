import type { EventSubject } from '#libs/domain';
import { namedUuids } from '../named-uuid.js';

const effectUuid = namedUuids('0f4f6a0e-6d0c-4f0e-9a55-2f2b8f0d9c31');

/** The `Idempotency-Key` of a call: the same parts as its events, so that every try of it, on any worker, sends the same. */
export function effectKey(subject: EventSubject, callNo: number, ordinal: number): string {
  return effectUuid(JSON.stringify([subject.runId, subject.stepId, subject.item, subject.round, callNo, ordinal]));
}
