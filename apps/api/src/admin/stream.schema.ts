import { z } from 'zod';
import { pageQuery } from '../http/list-page.js';
import { anyJson, count, line, time } from '../http/scalars.js';

export const streamListQuery = z.strictObject({
  ...pageQuery,
  prefix: line(128).optional(),
  active: z.enum(['true', 'false']).optional(),
});

export const streamSummary = z
  .object({
    stream_id: z.string(),
    version: count,
    entries: count,
    active: z.boolean(),
    created_at: time,
    updated_at: time,
  })
  .meta({
    id: 'StreamSummary',
    description: '`version` is the last seq of the log; `active`: a run holds the stream.',
  });
export type StreamSummary = z.output<typeof streamSummary>;

const log = z.object({ stream_id: z.string(), version: count, entries: count, chars: count, updated_at: time });

export const stream = streamSummary
  .extend({
    root_stream_id: z.string(),
    chars: count,
    sub_streams: z.array(log),
    memory: z.array(z.object({ key: z.string(), value: anyJson, seq: count })).nullable(),
    holds: z.array(z.object({ run_id: z.string(), mode: z.string(), acquired_at: time })),
  })
  .meta({ id: 'Stream', description: '`memory` is null for keys without `content:read`.' });
export type Stream = z.output<typeof stream>;

const fault = z.object({ stream_id: z.string(), seq: count, code: z.string(), detail: z.string() });

export const verification = z
  .object({
    stream_id: z.string(),
    ok: z.boolean(),
    logs: count,
    events: count,
    /** Of the events: tombstones, which have no digest to check. */
    erased: count,
    calls: count,
    contexts: z.object({ equal: count, differs_by_version: count, erased: count, corrupt: count }),
    faults: z.array(fault),
  })
  .meta({
    id: 'StreamVerification',
    description: '`contexts`: what building each recorded call again gave; only `corrupt` is a fault.',
  });
export type Verification = z.output<typeof verification>;
