import { z } from 'zod';
import { runTemplateSchema, signalTemplateSchema } from './run-template.js';

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'expected the name of a header')
  .transform((name) => name.toLowerCase());

/**
 * How a sender shows that it is one. `token`: in `Authorization`, as Bearer or as the password of Basic (so that it can
 * stand in the URL that a sender is given). `hmac_sha256`: in a header of its own choice, over `signed`, in which
 * `{timestamp}` stands for the value of `timestamp_header` and `{body}` for the body as it came.
 */
export const hookVerificationSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('standard_webhooks') }),
  z.strictObject({ kind: z.literal('token') }),
  z.strictObject({
    kind: z.literal('hmac_sha256'),
    header: headerName,
    prefix: z.string().max(32).default(''),
    encoding: z.enum(['hex', 'base64']).default('hex'),
    signed: z
      .string()
      .max(200)
      .refine((text) => text.includes('{body}'), 'expected {body} in it')
      .default('{body}'),
    timestamp_header: headerName.nullable().default(null),
  }),
]);
export type HookVerification = z.infer<typeof hookVerificationSchema>;

/** What a delivery does. */
export const hookActionSchema = z.union([
  z.strictObject({ start: runTemplateSchema }),
  z.strictObject({ signal: signalTemplateSchema }),
]);
export type HookAction = z.infer<typeof hookActionSchema>;
