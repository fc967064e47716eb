import { z } from 'zod';
import { jsonSchema } from '#libs/domain';

/** Scalars of the wire that stand in many resources. */
export const time = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC' });
export const count = z.int().nonnegative();
export const anyJson = jsonSchema.meta({ id: 'Json', description: 'Any JSON value' });
export const anyJsonObject = z.record(z.string(), anyJson);

const PATH_ID_CHARS = 200;
/** An id in a path: whatever it is, what does not exist answers 404, so only its length is bounded here. */
export const pathId = z.string().min(1).max(PATH_ID_CHARS);

const LARGEST_INTEGER = 2_147_483_647;
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
export const streamPathId = z.string().min(1).max(STREAM_PATH_ID_CHARS);
