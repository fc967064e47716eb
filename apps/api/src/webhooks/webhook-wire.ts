import type { DeliveryRecord, EndpointRecord } from '#libs/event-store';
import type { ProblemError } from '../http/problem-error.js';
import { notFound } from '../http/problem-error.js';
import type { Delivery, Endpoint } from './webhook.schema.js';

export function toEndpoint(row: EndpointRecord): Endpoint {
  return {
    id: row.endpointId,
    url: row.url,
    description: row.description,
    event_types: row.eventTypes,
    include_content: row.includesContent,
    enabled: row.disabledAt === null,
    disabled_at: row.disabledAt,
    disabled_reason: row.disabledReason,
    failing_since: row.failingSince,
    failures: row.failures,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

export function toDelivery(row: DeliveryRecord): Delivery {
  return {
    id: row.deliveryId,
    endpoint_id: row.endpointId,
    event_id: row.eventId,
    event_type: row.eventType,
    run_id: row.runId,
    status: row.status,
    attempts: row.attempt,
    next_attempt_at: row.status === 'pending' ? row.dueAt : null,
    last_status: row.lastStatus,
    last_error: row.lastError,
    created_at: row.createdAt,
    last_attempt_at: row.lastAttemptAt,
    ended_at: row.endedAt,
  };
}

export const endpointNotFound = (id: string): ProblemError =>
  notFound('webhook_endpoint_not_found', `Webhook endpoint ${id}`);
