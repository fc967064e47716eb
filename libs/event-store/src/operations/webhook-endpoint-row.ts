import type { Selectable } from 'kysely';
import type { WebhookDeliveryTable } from '../schema/webhook-delivery.table.js';
import type { WebhookEndpointTable } from '../schema/webhook-endpoint.table.js';

/** Its secrets are read by who signs, and by nobody else. */
export type EndpointRecord = {
  projectId: string;
  endpointId: string;
  url: string;
  description: string | null;
  eventTypes: string[];
  includesContent: boolean;
  disabledAt: string | null;
  disabledReason: string | null;
  failingSince: string | null;
  failures: number;
  createdAt: string;
  updatedAt: string;
};

export const ENDPOINT_COLUMNS = [
  'project_id',
  'endpoint_id',
  'url',
  'description',
  'event_types',
  'include_content',
  'disabled_at',
  'disabled_reason',
  'failing_since',
  'failures',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof WebhookEndpointTable)[];

export function endpointRecord(
  row: Pick<Selectable<WebhookEndpointTable>, (typeof ENDPOINT_COLUMNS)[number]>,
): EndpointRecord {
  return {
    projectId: row.project_id,
    endpointId: row.endpoint_id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types,
    includesContent: row.include_content,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since,
    failures: row.failures,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export type DeliveryRecord = {
  deliveryId: string;
  endpointId: string;
  eventId: string | null;
  eventType: string;
  runId: string | null;
  status: WebhookDeliveryTable['status']['__select__'];
  attempt: number;
  dueAt: string;
  lastStatus: number | null;
  lastError: string | null;
  createdAt: string;
  lastAttemptAt: string | null;
  endedAt: string | null;
};

export const DELIVERY_COLUMNS = [
  'delivery_id',
  'endpoint_id',
  'event_id',
  'event_type',
  'run_id',
  'status',
  'attempt',
  'due_at',
  'last_status',
  'last_error',
  'created_at',
  'last_attempt_at',
  'ended_at',
] as const satisfies readonly (keyof WebhookDeliveryTable)[];

export function deliveryRecord(
  row: Pick<Selectable<WebhookDeliveryTable>, (typeof DELIVERY_COLUMNS)[number]>,
): DeliveryRecord {
  return {
    deliveryId: row.delivery_id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    eventType: row.event_type,
    runId: row.run_id,
    status: row.status,
    attempt: row.attempt,
    dueAt: row.due_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
    createdAt: row.created_at,
    lastAttemptAt: row.last_attempt_at,
    endedAt: row.ended_at,
  };
}
