import { z } from 'zod';
import { isEventType, type EventType } from '#libs/domain';
import { anyJsonObject, count, time } from '../http/scalars.js';

export const event = z
  .object({
    cursor: z.string(),
    position: count,
    stream_id: z.string(),
    seq: count,
    event_id: z.string(),
    type: z.string(),
    schema_version: count,
    run_id: z.string().nullable(),
    step_id: z.string().nullable(),
    item: z.int().nullable(),
    round: count,
    entry: z.int().nullable(),
    data: anyJsonObject.nullable(),
    chars: count,
    digest: z.string(),
    recorded_at: time,
  })
  .meta({ id: 'Event', description: '`data` is null where it holds content and the key lacks `content:read`.' });
export type Event = z.output<typeof event>;

/** Opaque; what is not one of ours answers 400. */
const feedCursor = z.string().min(1).max(64);

const typeList = z
  .string()
  .transform((list, context): EventType[] => {
    const names = list.split(',');
    const known = names.filter(isEventType);
    const unknown = names.filter((name) => !isEventType(name));
    if (unknown.length === 0) return known;
    context.addIssue({ code: 'custom', message: `${unknown.join(', ')}: expected event types, separated by commas` });
    return z.NEVER;
  })
  .optional();

const eventLimit = z.coerce.number().int().min(1).max(1000).default(200);

export const runEventsQuery = z.strictObject({ after: feedCursor.optional(), types: typeList, limit: eventLimit });
export const streamQuery = z.strictObject({ after: feedCursor.optional() });
export type RunEventsQuery = z.output<typeof runEventsQuery>;

/** A stream's own log goes by `seq`: it is gapless, so its cursor is the last seq seen. */
export const streamEventsQuery = z.strictObject({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  types: typeList,
  limit: eventLimit,
});
export type StreamEventsQuery = z.output<typeof streamEventsQuery>;

export const eventPage = z.object({ data: z.array(event), next_cursor: z.string().nullable(), has_more: z.boolean() });
export const streamEventPage = z.object({
  data: z.array(event),
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});
