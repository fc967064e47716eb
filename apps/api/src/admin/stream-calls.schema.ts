import { z } from 'zod';
import { API_FORMATS, LINT_RULES } from '#libs/context';
import { callContext } from '../steps/call-context.schema.js';
import { anyJsonObject, count, itemNumber, line } from '../http/scalars.js';

const violation = z.object({ rule: z.enum(LINT_RULES), index: z.int().nullable(), detail: z.string() });

const callLine = z.object({
  event: z.literal('call'),
  call: count,
  message_index: count.nullable(),
  outcome: z.enum(['ready', 'wait', 'over_hard_cap']),
  messages: count,
  chars: count,
  chars_unmanaged: count,
  tokens: count,
  masked: count,
  omitted: count,
  compacted: count,
  context_hash: z.string().nullable(),
  common_prefix_chars: count,
  cost: z.number().nonnegative(),
  lint: z.array(violation),
});

const totalLine = z
  .object({
    event: z.literal('total'),
    calls: count,
    chars: count,
    chars_unmanaged: count,
    tokens: count,
    masked: count,
    compactions: count,
    over_hard_cap: count,
    cost: z.number().nonnegative(),
    cost_unmanaged: z.number().nonnegative(),
    lint_violations: count,
  })
  .meta({
    id: 'CallTotal',
    description: '`cost` in chars: read × common prefix + write × the rest. `masked`: distinct entries.',
  });

export const contextPreviewBody = z
  .strictObject({
    step_id: line(200).optional(),
    item: itemNumber.nullish(),
    run_id: line(200).nullish(),
    policy: anyJsonObject,
    model: line(300).nullish(),
    api_format: z.enum(API_FORMATS).nullish(),
    upto_seq: z.int().min(0).nullish(),
  })
  .meta({
    id: 'ContextPreviewRequest',
    description:
      '`policy` is a `context` block. `step_id` may be left out where the stream has one step only. `model`: its window, prices and form instead of those that were recorded.',
  });
export type ContextPreviewBody = z.output<typeof contextPreviewBody>;

const previewedContext = callContext
  .pick({
    run_id: true,
    step_id: true,
    item: true,
    model: true,
    api_format: true,
    messages: true,
    omitted: true,
    report: true,
  })
  .extend({
    run_id: z.string().nullable(),
    outcome: z.enum(['ready', 'wait', 'over_hard_cap']),
    policy_hash: z.string(),
    context_hash: z.string().nullable(),
    upto_seq: count,
  });

export const contextPreview = z
  .object({ context: previewedContext.nullable(), calls: z.array(callLine), total: totalLine })
  .meta({
    id: 'ContextPreview',
    description:
      'The same builds over the stored stream under another policy, without a model. `context` is what the next call would see; null: the step made no call.',
  });
export type ContextPreview = z.output<typeof contextPreview>;

export const reviewQuery = z.strictObject({ step_id: line(200).optional(), item: itemNumber.optional() });

const reviewedCall = callLine.extend({
  run_id: z.string().nullable(),
  step_id: z.string(),
  item: z.int().nullable(),
  /** The number of the call in its run; null for one that was over the cap and not sent. */
  run_call: count.nullable(),
  try: count,
  attempt: count,
  build_ms: z.number().nonnegative().nullable(),
  rebuilt: z.enum(['equal', 'differs_by_version', 'erased', 'corrupt']),
});

export const callReview = z.object({ calls: z.array(reviewedCall), total: totalLine.nullable() }).meta({
  id: 'CallReview',
  description: 'Every recorded call of a step on this stream, built again from its events.',
});
export type CallReview = z.output<typeof callReview>;
