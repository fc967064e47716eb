import { isEntryType, isJsonObject, readEventData, type Json, type NewEvent, type StoredEvent } from '#libs/domain';
import type { AppendResult } from '../ports/event-log.port.js';

/**
 * Events that were just appended as reading them would give them, so that they need not be read. Null: the append says nothing
 * of what now stands there. Neither a build nor a loop looks at when an event was recorded or where it stands in the feed.
 */
export function ownEvents(streamId: string, events: readonly NewEvent[], result: AppendResult): StoredEvent[] | null {
  if (result.status !== 'appended' || result.repeated) return null;
  const places = new Map(result.events.map((place) => [place.eventId, place]));
  return events.flatMap((event): StoredEvent[] => {
    const place = places.get(event.eventId);
    return place === undefined ? [] : [storedEvent(streamId, event, place)];
  });
}

/** The same of events that will be appended right behind `version`, where `entries` entries stand before them. */
export function foreseenEvents(
  streamId: string,
  events: readonly NewEvent[],
  after: { version: number; entries: number },
): StoredEvent[] {
  let { version: seq, entries } = after;
  return events.map((event) => {
    seq += 1;
    if (isEntryType(event.type)) entries += 1;
    return storedEvent(streamId, event, { seq, entry: isEntryType(event.type) ? entries : null, position: 0 });
  });
}

type Place = { seq: number; entry: number | null; position: number };

function storedEvent(streamId: string, event: NewEvent, { seq, entry, position }: Place): StoredEvent {
  const { data, json: _json, ...known } = event;
  const own = { ...known, streamId, seq, entry, position, cursor: '', recordedAt: '' };
  return placed({ ...own, data: readEventData(event.type, event.schemaVersion, inStoredOrder(data)) });
}

// Data and type keep their correlation only through the overload.
function placed(event: object): StoredEvent;
function placed(event: unknown): unknown {
  return event;
}

/** Objects come back from the log with their keys by length, then by bytes; what is sent of them must be the same either way. */
function inStoredOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inStoredOrder);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort(byStoredOrder);
  return Object.fromEntries(keys.map((key) => [key, inStoredOrder(value[key] ?? null)]));
}

const byStoredOrder = (a: string, b: string): number =>
  Buffer.byteLength(a) - Buffer.byteLength(b) || Buffer.compare(Buffer.from(a), Buffer.from(b));
