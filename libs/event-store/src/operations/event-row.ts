import {
  AppError,
  eventTypeOf,
  readEventData,
  type EventType,
  type JsonObject,
  type StoredEvent,
  type ViewEvent,
} from '#libs/domain';
import { fromStoredJson } from '../encoding/stored-json.js';
import { fromStoredText } from '../encoding/stored-text.js';

/** An event as selected: `EVENT_COLUMNS` of event `e` left joined with payload `p`. */
export type EventRow = {
  stream_id: string;
  seq: number;
  position: number;
  xact: string;
  event_id: string;
  type: string;
  schema_version: number;
  run_id: string | null;
  step_id: string | null;
  item: number | null;
  round: number;
  entry: number | null;
  data: unknown;
  digest: string;
  chars: number;
  recorded_at: string;
};

/** The long text of a body is selected beside the rest of it: so it is neither escaped in the database nor unescaped here. */
export const LONG_TEXTS: { readonly [T in EventType]?: string } = {
  ToolCallCompleted: 'content',
  ContextCompacted: 'summary',
};

/**
 * What builds read of an event, without the names of the columns: `text` is the long one of its data, null where those are whole.
 * `rest` is JSON of the others, since a number in it takes the driver less time than a column of its own.
 */
export type ViewRow = readonly [type: string, runId: string | null, text: string | null, rest: string];
type Rest = [seq: number, schemaVersion: number, round: number, entry: number | null, chars: number, data: JsonObject];

/** The opaque feed cursor of an event. */
export const feedCursor = (row: { xact: string; position: number }): string => `${row.xact}-${row.position}`;

/** @throws AppError `event_unreadable` when the stored data do not fit any version this build knows. */
export function storedEvent(row: EventRow): StoredEvent {
  const type = knownType(row);
  const event = {
    type,
    data: readEventData(type, row.schema_version, row.data),
    streamId: row.stream_id,
    seq: row.seq,
    position: row.position,
    cursor: feedCursor(row),
    eventId: row.event_id,
    schemaVersion: row.schema_version,
    runId: row.run_id,
    stepId: row.step_id,
    item: row.item,
    round: row.round,
    entry: row.entry,
    chars: row.chars,
    digest: row.digest,
    recordedAt: row.recorded_at,
  };
  // readEventData has just checked that the data are those of the type, which the compiler cannot follow.
  return event as StoredEvent;
}

/** A result that was counted and has no text any more is an outline. @throws AppError as `storedEvent` does. */
export function viewEvent([name, runId, text, rest]: ViewRow): ViewEvent {
  const type = knownType({ type: name });
  // As it was selected.
  const [seq, schemaVersion, round, entry, chars, body] = fromStoredJson(rest) as Rest;
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(entry ?? 0) || !Number.isSafeInteger(chars))
    throw new AppError('event_unreadable', `place or size of ${type} ${seq} does not fit a number`, { type });
  const data = readEventData(type, schemaVersion, text === null ? body : withText(body, LONG_TEXTS[type], text));
  const isOutline = type === 'ToolCallCompleted' && chars > 0 && text === '';
  // As above.
  return { type, data, seq, runId, round, entry, chars, isOutline } as ViewEvent;
}

/** Into the object that was parsed for this row: a copy would take longer than all else that is done with it. */
function withText(body: JsonObject, key: string | undefined, text: string): JsonObject {
  if (key !== undefined) body[key] = fromStoredText(text);
  return body;
}

function knownType({ type }: { type: string }): EventType {
  const known = eventTypeOf(type);
  if (known !== undefined) return known;
  throw new AppError('event_unreadable', `event type ${type} is unknown to this build; upgrade Weir`, { type });
}
