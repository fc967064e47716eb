import { z } from 'zod';
import { hookVerificationSchema } from '#libs/domain';
import { pageQuery } from '../http/list-page.js';
import { anyJson, line, time } from '../http/scalars.js';
import { runTemplate } from '../schedules/run-template.schema.js';
import { overlap } from '../webhooks/webhook.schema.js';

const SHORTEST_SECRET = 16;
const secret = z
  .string()
  .min(SHORTEST_SECRET)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'expected printable ASCII without spaces');

const signalTemplate = z
  .strictObject({ name: line(128), key: line(2000), payload: anyJson.default(null) })
  .meta({ id: 'SignalTemplate' });

const action = z.union([z.strictObject({ start: runTemplate }), z.strictObject({ signal: signalTemplate })], {
  error:
    'expected either { start: { pipeline, inputs, … } } or { signal: { name, key, payload } }, with known fields only',
});

export const hookBody = z
  .strictObject({
    verification: hookVerificationSchema,
    secret: secret.nullish(),
    action,
    delivery_id: line(500).nullable().default(null),
    when: line(2000).nullable().default(null),
  })
  .meta({
    id: 'PutHook',
    description: '`secret`: where the sender gives one; else Weir makes it, and shows it in the answer.',
  });
export type HookBody = z.output<typeof hookBody>;

export const hook = z
  .object({
    name: z.string(),
    id: z.string(),
    path: z.string(),
    verification: hookVerificationSchema,
    action,
    delivery_id: z.string().nullable(),
    when: z.string().nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Hook', description: '`path`: where senders POST to.' });
export type Hook = z.output<typeof hook>;

export const hookWithSecret = hook
  .extend({ secret: z.string().nullable() })
  .meta({ id: 'HookWithSecret', description: '`secret`: of a new one, shown in this answer only; else null.' });
export type HookWithSecretAnswer = z.output<typeof hookWithSecret>;

export const hookListQuery = z.strictObject(pageQuery);

/** The body may be left out. */
export const rotateHookSecretBody = z
  .strictObject({ overlap, secret: secret.nullish() })
  .optional()
  .meta({ id: 'RotateHookSecret' });
export type RotateHookSecretBody = z.output<typeof rotateHookSecretBody>;

export const hookReceipt = z
  .object({
    outcome: z.enum(['started', 'signalled', 'ignored']),
    run_id: z.string().nullable(),
    signal_id: z.string().nullable(),
    repeated: z.boolean(),
  })
  .meta({
    id: 'HookReceipt',
    description:
      '`repeated`: this delivery came before, and nothing was done again. `run_id` of a signal: the run that goes on with it.',
  });
export type HookReceiptAnswer = z.output<typeof hookReceipt>;
