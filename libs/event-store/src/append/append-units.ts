import { isEntryType } from '#libs/domain';
import type { AppendedEvent, AppendResult, AppendUnit } from '#libs/engine';
import { appendFlight, type FlightRow } from '../operations/append-flight.js';
import { findEventPlaces, type EventPlace } from '../operations/find-event-places.js';
import { readStreamVersion } from '../operations/read-stream-version.js';
import type { Session } from '../session.js';
import { takeFlight } from './take-flight.js';

/** Appends on the pool or in a transaction, in as many flights as the units need; results in the units' order. */
export async function appendUnits(session: Session, units: readonly AppendUnit[]): Promise<AppendResult[]> {
  const results = new Map<number, AppendResult>();
  let pending = units
    .map((unit, index) => ({ unit, index }))
    .filter(({ unit, index }) => {
      const eventId = idUsedTwice(unit);
      if (eventId !== null) results.set(index, { status: 'id_conflict', eventId });
      return eventId === null;
    });
  while (pending.length > 0) {
    const { take, rest } = takeFlight(pending);
    const rows = await appendFlight(
      session,
      take.map(({ unit }) => unit),
    );
    for (const row of rows) {
      const item = take[row.no];
      if (item !== undefined) results.set(item.index, await resultOf(session, item.unit, row));
    }
    pending = rest;
  }
  return units.map((unit, index) => {
    const result = results.get(index);
    if (result === undefined) throw new Error(`no answer for unit ${index} on ${unit.streamId}`);
    return result;
  });
}

function idUsedTwice(unit: AppendUnit): string | null {
  const ids = unit.events.map((event) => event.eventId);
  return ids.find((id, index) => ids.indexOf(id) !== index) ?? null;
}

async function resultOf(session: Session, unit: AppendUnit, row: FlightRow): Promise<AppendResult> {
  if (row.known) return repeatedResult(session, unit);
  if (!row.admitted) return { status: 'fenced_out' };
  if (row.version === null) {
    // The statement's snapshot may be older than the row that refused, so the version is read anew.
    const current = await readStreamVersion(session, unit.projectId, unit.streamId);
    return { status: 'version_conflict', version: current?.version ?? 0 };
  }
  return { status: 'appended', version: row.version, events: appendedEvents(unit, row.version, row), repeated: false };
}

function appendedEvents(unit: AppendUnit, version: number, row: FlightRow): AppendedEvent[] {
  let entry = row.entriesBefore ?? 0;
  return unit.events.map((event, index) => {
    if (isEntryType(event.type)) entry += 1;
    return {
      eventId: event.eventId,
      seq: version - unit.events.length + index + 1,
      entry: isEntryType(event.type) ? entry : null,
      position: row.positions?.[index] ?? 0,
    };
  });
}

/**
 * Some or all of the unit's events are stored. All, with the same bodies: their places. A part (a unit that is cut
 * differently after a crash): the missing ones are appended under the unit's conditions.
 */
async function repeatedResult(session: Session, unit: AppendUnit): Promise<AppendResult> {
  const stored = await findEventPlaces(
    session,
    unit.projectId,
    unit.events.map((event) => event.eventId),
  );
  for (const event of unit.events) {
    const place = stored.get(event.eventId);
    if (place !== undefined && (place.digest !== event.digest || place.streamId !== unit.streamId))
      return { status: 'id_conflict', eventId: event.eventId };
  }
  const missing = unit.events.filter((event) => !stored.has(event.eventId));
  if (missing.length === 0) {
    const current = await readStreamVersion(session, unit.projectId, unit.streamId);
    return { status: 'appended', version: current?.version ?? 0, events: placesInOrder(unit, stored), repeated: true };
  }
  const [result] = await appendUnits(session, [{ ...unit, events: missing }]);
  if (result === undefined || result.status !== 'appended') return result ?? { status: 'fenced_out' };
  const all = new Map<string, AppendedEvent>([
    ...stored,
    ...result.events.map((event): [string, AppendedEvent] => [event.eventId, event]),
  ]);
  return { ...result, events: placesInOrder(unit, all) };
}

function placesInOrder(unit: AppendUnit, places: ReadonlyMap<string, AppendedEvent | EventPlace>): AppendedEvent[] {
  return unit.events.flatMap(({ eventId }) => {
    const place = places.get(eventId);
    return place === undefined ? [] : [{ eventId, seq: place.seq, entry: place.entry, position: place.position }];
  });
}
