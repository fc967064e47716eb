import { z } from 'zod';
import type { Json } from '#libs/domain';

/** Scalars of the wire that stand in many resources. */
export const time = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC' });
export const count = z.int().nonnegative();
/** Bodies come from a JSON parser and answers from the store, so there is nothing to check. */
export const anyJson = z.custom<Json>().meta({ id: 'Json', description: 'Any JSON value' });
export const anyJsonObject = z.record(z.string(), anyJson);

const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** Text for ids, names and filters: no control characters (Postgres holds no NUL) and no lone surrogates. */
export const line = (maxChars: number) =>
  z
    .string()
    .min(1)
    .max(maxChars)
    .refine((text) => !UNPRINTABLE.test(text), 'expected text without control characters');

const PATH_ID_CHARS = 200;
/** An id in a path: whatever it is, what does not exist answers 404. */
export const pathId = line(PATH_ID_CHARS);

/** Columns for them hold no more. */
const LARGEST_INTEGER = 2_147_483_647;
/** In bodies; with `Number` behind it in paths and queries. */
export const versionInBody = z.int().min(1).max(LARGEST_INTEGER);
export const itemInBody = z.int().min(0).max(LARGEST_INTEGER);
export const versionNumber = z.coerce.number().int().min(1).max(LARGEST_INTEGER);
export const itemNumber = z.coerce.number().int().min(0).max(LARGEST_INTEGER);

export const usage = z
  .object({
    input_tokens: count,
    cached_tokens: count,
    output_tokens: count,
    cost_usd: z.number().nonnegative(),
    model_calls: count,
    tool_calls: count,
  })
  .meta({ id: 'Usage' });

export const timeFilter = z.iso.datetime({ offset: true }).optional();

/** A stream's id or a sub-stream's (`{stream_id}:step:{step_id}:item:{n}`). */
const STREAM_PATH_ID_CHARS = 400;
export const streamPathId = line(STREAM_PATH_ID_CHARS);
