import {
  AppError,
  isEventType,
  readEventData,
  type EventType,
  type JsonObject,
  type StoredEvent,
  type ViewEvent,
} from '#libs/domain';
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

/** What builds read of an event, without the names of the columns: `text` is the long one of `data`, null where that is whole. */
export type ViewRow = readonly [
  seq: number,
  type: string,
  schemaVersion: number,
  runId: string | null,
  round: number,
  entry: number | null,
  chars: number,
  text: string | null,
  data: JsonObject,
];

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
export function viewEvent([seq, name, schemaVersion, runId, round, entry, chars, text, rest]: ViewRow): ViewEvent {
  const type = knownType({ type: name });
  const data = readEventData(type, schemaVersion, text === null ? rest : withText(rest, LONG_TEXTS[type], text));
  const isOutline = type === 'ToolCallCompleted' && chars > 0 && text === '';
  // As above.
  return { type, data, seq, runId, round, entry, chars, isOutline } as ViewEvent;
}

/** Into the object that was parsed for this row: a copy would take longer than all else that is done with it. */
function withText(rest: JsonObject, key: string | undefined, text: string): JsonObject {
  if (key !== undefined) rest[key] = fromStoredText(text);
  return rest;
}

function knownType({ type }: { type: string }): EventType {
  if (isEventType(type)) return type;
  throw new AppError('event_unreadable', `event type ${type} is unknown to this build; upgrade Weir`, { type });
}
