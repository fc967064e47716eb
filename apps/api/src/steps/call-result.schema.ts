import { z } from 'zod';
import { contentSchema } from '#libs/domain';
import { anyJsonObject, itemNumber } from '../http/scalars.js';

const MAX_RESULT_CHARS = 1_000_000;

export const callResultBody = z
  .strictObject({
    tool_call_id: z.string().min(1).max(1000),
    /** Text, or content parts as events have them. */
    content: z
      .union([z.string(), z.array(anyJsonObject)])
      .refine((content) => contentSchema.safeParse(content).success, 'expected text or a list of content parts')
      .refine(
        (content) => JSON.stringify(content).length <= MAX_RESULT_CHARS,
        `expected at most ${MAX_RESULT_CHARS} characters: store large results elsewhere and answer with where they are`,
      ),
    is_error: z.boolean().default(false),
  })
  .meta({ id: 'LateResult' });
export type CallResultBody = z.output<typeof callResultBody>;

export const callResultQuery = z.strictObject({ item: itemNumber.optional() });
export type CallResultQuery = z.output<typeof callResultQuery>;

export const callResultAnswer = z
  .object({ run_id: z.string(), step_id: z.string(), call: z.int(), tool_call_id: z.string() })
  .meta({ id: 'LateResultAccepted' });
export type CallResultAnswer = z.output<typeof callResultAnswer>;
