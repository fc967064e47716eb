import { z } from 'zod';
import { approvalDecisionSchema, approvalKindSchema } from '#libs/domain';
import { pageQuery } from '../http/list-page.js';
import { anyJson, anyJsonObject, count, line, time } from '../http/scalars.js';

export const approvalStatus = z.enum(['pending', 'approved', 'denied', 'cancelled']);

export const approvalListQuery = z.strictObject({
  ...pageQuery,
  status: approvalStatus.optional(),
  run_id: line(128).optional(),
});
export type ApprovalListQuery = z.output<typeof approvalListQuery>;

export const approval = z
  .object({
    id: z.string(),
    kind: approvalKindSchema,
    status: approvalStatus,
    run_id: z.string(),
    step_id: z.string(),
    item: z.int().nullable(),
    round: count,
    call: z.int().nullable(),
    prompt: z.string().nullable(),
    form: anyJsonObject.nullable(),
    tool: z.string().nullable(),
    arguments: z.string().nullable(),
    decision: z
      .object({
        form: anyJson,
        comment: z.string().nullable(),
        arguments: z.string().nullable(),
        decided_by: z.string().nullable(),
        decided_at: time.nullable(),
      })
      .nullable(),
    due_at: time.nullable(),
    requested_at: time,
  })
  .meta({
    id: 'Approval',
    description:
      '`kind`: `step` (an approval step), `tool` (a call of a tool with `requires_approval`), `unknown_outcome` (a call that may have been carried out; to approve is to make it again). `arguments` is the JSON text that the model wrote. Prompt, arguments and decision are null for keys that have neither `content:read` nor `approvals:decide`.',
  });
export type Approval = z.output<typeof approval>;

export const decisionBody = z
  .strictObject({
    decision: approvalDecisionSchema,
    form: anyJson.optional(),
    comment: z.string().max(10_000).nullish(),
    /** JSON text or an object: what the call is made with instead. */
    arguments: z.union([z.string().max(1_000_000), anyJsonObject]).nullish(),
  })
  .meta({ id: 'ApprovalDecision' });
export type DecisionBody = z.output<typeof decisionBody>;
