import { AppError, isEventType, readEventData, type StoredEvent } from '#libs/domain';

export type EventRow = {
  streamId: string;
  seq: number;
  position: number;
  xact: string;
  eventId: string;
  type: string;
  schemaVersion: number;
  runId: string | null;
  stepId: string | null;
  item: number | null;
  round: number;
  entry: number | null;
  chars: number;
  digest: string;
  recordedAt: string;
  data: unknown;
};

/** @throws AppError `event_unreadable` for a type or version that this build does not know. */
export function toStoredEvent({ xact, ...row }: EventRow): StoredEvent {
  const { type } = row;
  if (!isEventType(type)) {
    throw new AppError('event_unreadable', `event ${row.streamId}#${row.seq} has the type ${type}, which this build does not know; upgrade Weir`, { type });
  }
  const data = readEventData(type, row.schemaVersion, row.data);
  // The parser has just proved that `data` fits `type`; the compiler cannot follow that through the union.
  return { ...row, type, data, cursor: `${xact}-${row.position}` } as StoredEvent;
}
