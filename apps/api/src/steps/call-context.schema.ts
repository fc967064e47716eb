import { z } from 'zod';
import { API_FORMATS, DIFFERENCE_CAUSES, ENTRY_STATES } from '#libs/context';
import { anyJson, anyJsonObject, count } from '../http/scalars.js';

const message = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: anyJson,
  tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).nullable(),
  tool_call_id: z.string().nullable(),
  state: z.enum(ENTRY_STATES),
  pinned: z.boolean(),
  synthetic: z.boolean(),
  entries: z.array(z.int()),
  chars: count,
});

const omitted = z.object({ entries: z.tuple([z.int(), z.int()]), state: z.enum(ENTRY_STATES), chars: count });

const difference = z.object({
  common_prefix_chars: count,
  first_difference: z.object({ message: z.int().nullable(), cause: z.enum(DIFFERENCE_CAUSES) }).nullable(),
});

export const callContext = z
  .object({
    run_id: z.string(),
    step_id: z.string(),
    item: z.int().nullable(),
    round: count,
    call: count,
    try: count,
    model: z.string(),
    api_format: z.enum(API_FORMATS).nullable(),
    policy_hash: z.string(),
    context_hash: z.string(),
    rebuilt: z.enum(['equal', 'differs_by_version', 'erased', 'corrupt']),
    wire_hash: z.string().nullable(),
    upto_seq: count,
    cutoff_seq: count.nullable(),
    messages: z.array(message),
    omitted: z.array(omitted),
    report: anyJsonObject,
    diff: difference.nullable(),
  })
  .meta({
    id: 'CallContext',
    description:
      'What the model saw in a call, built again from the stored events. `diff` only with `diff=previous`: against the request before it in the same view; `message` is an index into `messages`.',
  });
export type CallContext = z.output<typeof callContext>;
