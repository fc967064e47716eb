import { DISABLE_AFTER_FAILURES, DISABLE_AFTER_MS } from '#libs/domain';
import type { DeliveryResult } from '#libs/engine';
import { toStoredText } from '../encoding/stored-text.js';
import type { Session, TransactionSql } from '../session.js';

/** In a transaction: the delivery's row, then its endpoint's. */
export async function storeDeliveryResult(
  session: TransactionSql,
  result: DeliveryResult,
): Promise<{ disabled: boolean }> {
  const { projectId, deliveryId, attempt, next, outcome } = result;
  const delayMs = next.kind === 'retry' ? next.delayMs : null;
  const status = next.kind === 'retry' ? 'pending' : next.kind;
  const [stored] = await session`
    update webhook_delivery set status = ${status}, last_status = ${outcome.status},
      last_error = ${result.error === null ? null : toStoredText(result.error)},
      due_at = case when ${delayMs}::float8 is null then due_at else now() + ${delayMs}::float8 * interval '1 millisecond' end,
      ended_at = case when ${status} = 'pending' then null else clock_timestamp() end
    where project_id = ${projectId} and delivery_id = ${deliveryId} and attempt = ${attempt} and status = 'pending'
    returning 1`;
  if (stored === undefined) return { disabled: false };
  return outcome.kind === 'delivered' ? endpointWorks(session, result) : endpointFails(session, result);
}

async function endpointWorks(
  session: Session,
  { projectId, endpointId }: DeliveryResult,
): Promise<{ disabled: false }> {
  await session`
    update webhook_endpoint set failing_since = null, failures = 0
    where project_id = ${projectId} and endpoint_id = ${endpointId} and failing_since is not null`;
  return { disabled: false };
}

async function endpointFails(session: Session, result: DeliveryResult): Promise<{ disabled: boolean }> {
  const { projectId, endpointId, outcome } = result;
  await session`
    update webhook_endpoint set failures = failures + 1, failing_since = coalesce(failing_since, clock_timestamp())
    where project_id = ${projectId} and endpoint_id = ${endpointId}`;
  const reason = outcome.kind === 'gone' ? 'it answered 410 Gone' : 'it took nothing for three days';
  const disabled = await session`
    update webhook_endpoint set disabled_at = clock_timestamp(), disabled_reason = ${reason}
    where project_id = ${projectId} and endpoint_id = ${endpointId} and disabled_at is null
      and (${outcome.kind === 'gone'} or (failures >= ${DISABLE_AFTER_FAILURES}
        and failing_since < clock_timestamp() - ${DISABLE_AFTER_MS}::float8 * interval '1 millisecond'))
    returning 1`;
  if (disabled.length === 0) return { disabled: false };
  await session`
    insert into audit_log (project_id, actor, action, subject, detail)
    values (${projectId}, 'weir', 'webhook_endpoint.disabled', ${endpointId}, jsonb_build_object('reason', ${reason}::text))`;
  return { disabled: true };
}

/** Dead deliveries stay until somebody decides about them; what was taken, and what hooks received, is forgotten. */
export async function forgetDeliveries(session: Session, olderThanMs: number, limit: number): Promise<number> {
  const sent = await session`
    delete from webhook_delivery where (project_id, delivery_id) in (
      select project_id, delivery_id from webhook_delivery
      where status = 'delivered' and ended_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'
      order by ended_at limit ${limit} for update skip locked) returning 1`;
  const received = await session`
    delete from hook_delivery where (project_id, name, delivery_hash) in (
      select project_id, name, delivery_hash from hook_delivery
      where received_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'
      order by received_at limit ${limit} for update skip locked) returning 1`;
  return sent.length + received.length;
}
