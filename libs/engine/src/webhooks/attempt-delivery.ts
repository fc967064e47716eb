import { decideWebhookRetry, type AttemptOutcome } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import type { ClaimedDelivery } from '../ports/trigger-store.port.js';
import type { WebhookAnswer } from '../ports/webhook-sender.port.js';
import { signWebhook } from './signature.js';
import { webhookBody } from './webhook-body.js';

const TIMEOUT_MS = 15_000;

/** One attempt of a claimed delivery: signed anew, sent, its outcome written down. */
export async function attemptDelivery(
  deps: Pick<EngineDeps, 'runs' | 'webhooks' | 'logger' | 'now' | 'random' | 'redact'>,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> {
  const { projectId, deliveryId, endpointId, attempt, eventId } = delivery;
  const facts = eventId === null ? null : await deps.runs.announcedFacts(projectId, eventId);
  const isErased = eventId !== null && facts === null;
  const answer = isErased
    ? ERASED
    : await deps.webhooks.post(request(deps, delivery, webhookBody(delivery, facts), signal));
  const outcome = outcomeOf(answer);
  const next = isErased ? { kind: 'dead' as const } : decideWebhookRetry(attempt, outcome, deps.random());
  const error = errorOf(deps, answer);
  const result = { projectId, deliveryId, endpointId, attempt, outcome, next, error };
  const { disabled } = await deps.runs.storeDeliveryResult(result);
  const fields = { project_id: projectId, delivery_id: deliveryId, endpoint_id: endpointId, attempt };
  if (disabled) deps.logger.warn(fields, 'a webhook endpoint was disabled');
  if (next.kind === 'dead') deps.logger.warn(fields, 'a webhook delivery is dead; it can be sent again');
}

const ERASED: WebhookAnswer = { kind: 'unreachable', detail: 'the event was erased before it could be sent' };

function request(
  deps: Pick<EngineDeps, 'now'>,
  { deliveryId, url, secrets }: ClaimedDelivery,
  body: string,
  signal: AbortSignal,
) {
  const timestamp = Math.floor(deps.now().getTime() / 1000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'weir-webhooks',
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook(deliveryId, timestamp, body, secrets),
  };
  return { url, headers, body, timeoutMs: TIMEOUT_MS, signal };
}

function outcomeOf(answer: WebhookAnswer): AttemptOutcome {
  if (answer.kind === 'unreachable') return { kind: 'failed', status: null, retryAfterMs: null };
  const { status, retryAfterMs } = answer;
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  return status === 410 ? { kind: 'gone', status } : { kind: 'failed', status, retryAfterMs };
}

/** What people see of a failure; receivers may answer with anything, secrets too. */
function errorOf(deps: Pick<EngineDeps, 'redact'>, answer: WebhookAnswer): string | null {
  if (answer.kind === 'unreachable') return answer.detail;
  if (answer.status >= 200 && answer.status < 300) return null;
  const excerpt = deps.redact(answer.excerpt);
  const said = typeof excerpt === 'string' && excerpt !== '' ? `: ${excerpt}` : '';
  const redirect = answer.status >= 300 && answer.status < 400 ? ' (redirects are not followed)' : '';
  return `answered ${answer.status}${redirect}${said}`;
}
