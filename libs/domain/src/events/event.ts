import { AppError } from '../app-error.js';
import type { Json } from '../json.js';
import { exactCheck } from './exact-check.js';
import { eventCatalogue, isEventType, type EventData, type EventType } from './event-catalogue.js';

/** What an event is about; all but `runId` are null outside steps, `runId` is null for imports. */
export type EventSubject = {
  runId: string | null;
  stepId: string | null;
  item: number | null;
  round: number;
};

type Recorded<T extends EventType> = EventSubject & {
  type: T;
  data: EventData<T>;
  streamId: string;
  /** Place in its own log, from 1, gapless. */
  seq: number;
  /** Global place; with `xact` it makes the feed cursor. */
  position: number;
  cursor: string;
  eventId: string;
  schemaVersion: number;
  /** Ordinal of a conversation entry in its sub-stream, from 1; null for what a model cannot see. */
  entry: number | null;
  /** Code points of what a model would be sent of it, whole. 0 for what a model cannot see. */
  chars: number;
  /** SHA-256 (hex) over the canonical JSON of `data`. */
  digest: string;
  /** RFC 3339 UTC, the database's clock. */
  recordedAt: string;
};

/** An event as read from the store: a union discriminated by `type`. */
export type StoredEvent = { [T in EventType]: Recorded<T> }[EventType];
export type StoredEventOf<T extends EventType> = Recorded<T>;

/** What builds of a context read of an event: not its place in the feed, its ids, or whose step it is of. */
export type ViewEventOf<T extends EventType> = Pick<
  Recorded<T>,
  'type' | 'data' | 'seq' | 'runId' | 'round' | 'entry' | 'chars'
> & {
  /** Of a tool's result all was read but its content, in whose place an empty text stands. */
  isOutline?: boolean;
};
export type ViewEvent = { [T in EventType]: ViewEventOf<T> }[EventType];

/** An event to append: everything but what the store assigns. Made by the engine's `newEvent`. */
export type NewEvent = EventSubject & {
  type: EventType;
  eventId: string;
  schemaVersion: number;
  data: { [key: string]: Json };
  /** The canonical JSON of `data`. */
  json: string;
  chars: number;
  digest: string;
};

/**
 * Reads stored data of any released version as today's.
 * @throws AppError `event_unreadable` when the type is unknown, the version is newer than this build, or the data do not fit.
 */
export function readEventData<T extends EventType>(type: T, schemaVersion: number, data: unknown): EventData<T>;
export function readEventData(type: string, schemaVersion: number, data: unknown): unknown {
  if (!isEventType(type)) {
    throw new AppError('event_unreadable', `event type ${type} is unknown to this build; upgrade Weir`, { type });
  }
  const definition = eventCatalogue[type];
  if (schemaVersion > definition.version) {
    throw new AppError(
      'event_unreadable',
      `${type} v${schemaVersion} was written by a newer Weir; this one reads up to v${definition.version}`,
      { type, schema_version: schemaVersion },
    );
  }
  let current = data;
  for (let version = schemaVersion; version < definition.version; version += 1) {
    const upcast = definition.upcasts[version];
    if (upcast === undefined)
      throw new AppError('event_unreadable', `no upcast of ${type} from v${version}`, {
        type,
        schema_version: version,
      });
    current = upcast(current);
  }
  if (isExact(type, current)) return current;
  const parsed = definition.schema.safeParse(current);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw new AppError(
    'event_unreadable',
    `${type} does not fit its schema at ${first?.path.join('.') ?? '(root)'}: ${first?.message ?? 'unknown'}`,
    { type },
  );
}

const exactChecks = new Map<EventType, (data: unknown) => boolean>();

/** Nearly all that is stored: what its schema would give back is the same. */
function isExact(type: EventType, data: unknown): boolean {
  const check = exactChecks.get(type) ?? exactCheck(eventCatalogue[type].schema);
  exactChecks.set(type, check);
  return check(data);
}
