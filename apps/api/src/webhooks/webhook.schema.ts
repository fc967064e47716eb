import { z } from 'zod';
import { ANNOUNCED_EVENT_TYPES, END_EVENT_TYPES, parseDurationMs } from '#libs/domain';
import { pageQuery } from '../http/list-page.js';
import { count, line, time } from '../http/scalars.js';

const MOST_URL_CHARS = 2000;
const eventTypes = z
  .array(z.enum(ANNOUNCED_EVENT_TYPES))
  .min(1)
  .transform((types) => [...new Set(types)]);
const description = z.string().max(500).nullable();

export const newEndpointBody = z
  .strictObject({
    url: line(MOST_URL_CHARS),
    description: description.default(null),
    event_types: eventTypes.default([...END_EVENT_TYPES]),
    include_content: z.boolean().default(false),
  })
  .meta({ id: 'NewWebhookEndpoint' });
export type NewEndpointBody = z.output<typeof newEndpointBody>;

export const changeEndpointBody = z
  .strictObject({
    url: line(MOST_URL_CHARS).optional(),
    description: description.optional(),
    event_types: eventTypes.optional(),
    include_content: z.boolean().optional(),
    enabled: z.boolean().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'expected something to change')
  .meta({ id: 'ChangeWebhookEndpoint' });
export type ChangeEndpointBody = z.output<typeof changeEndpointBody>;

export const endpoint = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string().nullable(),
    event_types: z.array(z.string()),
    include_content: z.boolean(),
    enabled: z.boolean(),
    disabled_at: time.nullable(),
    disabled_reason: z.string().nullable(),
    failing_since: time.nullable(),
    failures: count,
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'WebhookEndpoint', description: '`failures`: attempts since the last delivery that was taken.' });
export type Endpoint = z.output<typeof endpoint>;

export const endpointWithSecret = endpoint.extend({ secret: z.string().nullable() }).meta({
  id: 'WebhookEndpointWithSecret',
  description: '`secret` is shown in this answer only; null in a replayed one.',
});
export type EndpointWithSecret = z.output<typeof endpointWithSecret>;

export const endpointListQuery = z.strictObject(pageQuery);

const MOST_OVERLAP_MS = 30 * 86_400_000;
export const overlap = z
  .string()
  .refine(
    (text) => (parseDurationMs(text) ?? MOST_OVERLAP_MS + 1) <= MOST_OVERLAP_MS,
    'expected a duration up to "30d"',
  )
  .default('1d');
/** The body may be left out. */
export const rotateSecretBody = z
  .strictObject({ overlap })
  .optional()
  .meta({ id: 'RotateSecret', description: '`overlap`: how long the secret before holds beside the new one.' });
export type RotateSecretBody = z.output<typeof rotateSecretBody>;
export const DEFAULT_OVERLAP = '1d';

const deliveryStatus = z.enum(['pending', 'delivered', 'dead']);

export const delivery = z
  .object({
    id: z.string(),
    endpoint_id: z.string(),
    event_id: z.string().nullable(),
    event_type: z.string(),
    run_id: z.string().nullable(),
    status: deliveryStatus,
    attempts: count,
    next_attempt_at: time.nullable(),
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
    created_at: time,
    last_attempt_at: time.nullable(),
    ended_at: time.nullable(),
  })
  .meta({
    id: 'WebhookDelivery',
    description:
      '`dead`: all attempts failed; it waits for `redeliver`. `id` is the header `webhook-id` of each attempt.',
  });
export type Delivery = z.output<typeof delivery>;

export const deliveryListQuery = z.strictObject({
  ...pageQuery,
  status: deliveryStatus.optional(),
  run_id: line(128).optional(),
});
export type DeliveryListQuery = z.output<typeof deliveryListQuery>;

const MOST_REDELIVERED = 1000;
export const redeliverBody = z
  .strictObject({
    delivery_ids: z.array(line(128)).min(1).max(MOST_REDELIVERED).optional(),
    status: z.enum(['dead', 'delivered']).optional(),
    since: z.iso.datetime({ offset: true }).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'expected delivery_ids, status or since')
  .meta({ id: 'Redeliver', description: 'What fits all that is given, at most 1,000 at once.' });
export type RedeliverBody = z.output<typeof redeliverBody>;
export const REDELIVER_LIMIT = MOST_REDELIVERED;

export const redelivered = z.object({ redelivered: count }).meta({ id: 'Redelivered' });
export type Redelivered = z.output<typeof redelivered>;
