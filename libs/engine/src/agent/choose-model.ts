import type { EventSubject, StoredEvent } from '#libs/domain';

/** Failures that the same model would repeat. Overflow of a context is not one of them: that is the ladder's. */
const TERMINAL: ReadonlySet<string> = new Set(['invalid_request', 'authentication', 'refused']);
/** Failures that pass, but not soon when they repeat. */
const OVERLOAD: ReadonlySet<string> = new Set([
  'overloaded',
  'server_error',
  'timeout_idle',
  'timeout_total',
  'network',
]);
/** In a row of one model, after which the next one is asked. */
const OVERLOADS = 2;

/**
 * Pure: which of an agent's models (its own, then its fallback models) answers the next call, as its stored failures tell.
 * A step never goes back to a model that it has left. Returns an index into the list.
 */
export function chooseModel(events: readonly StoredEvent[], subject: EventSubject, count: number): number {
  return standingOf(events, subject, count).index;
}

/** The same after one more failure that is not among the events yet. */
export function nextModel(
  events: readonly StoredEvent[],
  subject: EventSubject,
  count: number,
  failed: string,
): number {
  return afterFailure(standingOf(events, subject, count), failed, count).index;
}

type Standing = { index: number; overloads: number };

function standingOf(events: readonly StoredEvent[], subject: EventSubject, count: number): Standing {
  let standing: Standing = { index: 0, overloads: 0 };
  for (const event of events) {
    if (!isOwn(event, subject)) continue;
    if (event.type === 'LlmCallCompleted') standing = { ...standing, overloads: 0 };
    if (event.type === 'LlmCallFailed') standing = afterFailure(standing, event.data.class, count);
  }
  return standing;
}

function afterFailure({ index, overloads }: Standing, failed: string, count: number): Standing {
  const more = OVERLOAD.has(failed) ? overloads + 1 : overloads;
  const isOver = TERMINAL.has(failed) || more >= OVERLOADS;
  return isOver && index + 1 < count ? { index: index + 1, overloads: 0 } : { index, overloads: more };
}

function isOwn(event: StoredEvent, subject: EventSubject): boolean {
  return (
    event.runId === subject.runId &&
    event.stepId === subject.stepId &&
    event.item === subject.item &&
    event.round === subject.round
  );
}
