import { AppError, isEventType, readEventData, type EventType, type StoredEvent, type ViewEvent } from '#libs/domain';

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

/** What builds read of one; a result that was counted and has no text any more is an outline. */
export type ViewRow = Pick<
  EventRow,
  'seq' | 'type' | 'schema_version' | 'run_id' | 'round' | 'entry' | 'data' | 'chars'
>;

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

/** @throws AppError as `storedEvent` does. */
export function viewEvent(row: ViewRow): ViewEvent {
  const { seq, run_id: runId, round, entry, chars } = row;
  const type = knownType(row);
  const data = readEventData(type, row.schema_version, row.data);
  const isOutline = type === 'ToolCallCompleted' && chars > 0 && 'content' in data && data.content === '';
  // As above.
  return { type, data, seq, runId, round, entry, chars, isOutline } as ViewEvent;
}

function knownType({ type }: { type: string }): EventType {
  if (isEventType(type)) return type;
  throw new AppError('event_unreadable', `event type ${type} is unknown to this build; upgrade Weir`, { type });
}
