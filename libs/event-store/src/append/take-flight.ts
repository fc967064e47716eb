import type { AppendUnit } from '#libs/engine';

/** How many units one statement carries at most. */
export const MAX_FLIGHT_UNITS = 200;

/**
 * Splits off the units that one statement can carry. Units of one stream keep their order; several of them fly together
 * unless one of them expects a version (its place then depends on whether the others are admitted). An event id that is
 * in the flight already waits for the next one, where it is found as stored. `take` is never empty when `pending` is not.
 */
export function takeFlight<T extends { unit: AppendUnit }>(pending: readonly T[]): { take: T[]; rest: T[] } {
  const take: T[] = [];
  const rest: T[] = [];
  const eventIds = new Set<string>();
  const streams = new Map<string, 'open' | 'closed'>();
  for (const item of pending) {
    const { unit } = item;
    const stream = `${unit.projectId}\n${unit.streamId}`;
    const ids = unit.events.map((event) => `${unit.projectId}\n${event.eventId}`);
    const state = streams.get(stream);
    const fits = state === undefined || (state === 'open' && unit.expectedVersion === undefined);
    if (take.length < MAX_FLIGHT_UNITS && fits && !ids.some((id) => eventIds.has(id))) {
      take.push(item);
      ids.forEach((id) => eventIds.add(id));
      streams.set(stream, unit.expectedVersion === undefined ? 'open' : 'closed');
    } else {
      rest.push(item);
      streams.set(stream, 'closed');
    }
  }
  return { take, rest };
}
