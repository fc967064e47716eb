import { z } from 'zod';

/** One thing wrong with a request. `pointer` is a JSON pointer (as a fragment) into what `in` names. */
export const problemFaultSchema = z
  .looseObject({
    in: z.enum(['body', 'query', 'path', 'header']),
    pointer: z.string(),
    code: z.string(),
    detail: z.string(),
  })
  .meta({ id: 'ProblemFault' });
export type ProblemFault = z.infer<typeof problemFaultSchema>;

/** The body of every answer that is not 2xx: RFC 9457, `application/problem+json`. */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
    instance: z.string(),
    request_id: z.string(),
    retryable: z.boolean(),
    retry_after_ms: z.int().nullable(),
    errors: z.array(problemFaultSchema),
    allowed_actions: z.array(z.string()),
    required_scope: z.string().optional(),
    checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';
