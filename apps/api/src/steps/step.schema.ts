import { z } from 'zod';
import { effectivePolicySchema } from '#libs/context';
import { pageQuery } from '../http/list-page.js';
import { anyJson, count, itemNumber, time, usage } from '../http/scalars.js';
import { runError, runStep } from '../runs/run.schema.js';

export const step = runStep
  .extend({
    run_id: z.string(),
    sub_stream_id: z.string(),
    releases: count,
    worker_id: z.string().nullable(),
    due_at: time.nullable(),
    timeout_at: time.nullable(),
    queued_at: time,
    cutoff_seq: count.nullable(),
    manifest: z.string().nullable(),
    output: anyJson,
    error: runError.nullable(),
    usage,
  })
  .meta({ id: 'Step', description: '`output` is null for keys without `content:read`.' });
export type Step = z.output<typeof step>;

export const stepDetail = step
  .extend({ context: z.object({ policy_hash: z.string(), policy: effectivePolicySchema }).nullable() })
  .meta({
    id: 'StepDetail',
    description:
      '`context`: the policy that the step follows, all levels merged; null for steps without a context and before the first start.',
  });
export type StepDetail = z.output<typeof stepDetail>;

export const itemQuery = z.strictObject({ item: itemNumber.optional() });
export const stepQuery = z.strictObject({ item: itemNumber.optional(), round: itemNumber.optional() });
export const stepListQuery = z.strictObject(pageQuery);
export const contextQuery = stepQuery.extend({ diff: z.enum(['previous']).optional() });

const callToolCall = z.object({ ordinal: count, name: z.string(), status: z.string().nullable() });

export const call = z
  .object({
    run_id: z.string(),
    step_id: z.string(),
    item: z.int().nullable(),
    round: count,
    call: count,
    try: count,
    model: z.string(),
    status: z.enum(['started', 'completed', 'failed']),
    message_count: count,
    chars: count,
    tokens: count,
    upto_seq: count,
    policy_hash: z.string(),
    context_hash: z.string(),
    wire_hash: z.string().nullable(),
    finish_reason: z.string().nullable(),
    usage: z.object({ input_tokens: count, cached_tokens: count, output_tokens: count }).nullable(),
    cost_usd: z.number().nonnegative().nullable(),
    error: z.object({ class: z.string(), detail: z.string() }).nullable(),
    tool_calls: z.array(callToolCall),
    started_at: time,
    ended_at: time.nullable(),
  })
  .meta({ id: 'Call' });
export type Call = z.output<typeof call>;
