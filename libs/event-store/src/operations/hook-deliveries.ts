import type { HookDeliveryKey, HookReceipt } from '#libs/engine';
import type { Session } from '../session.js';

/** The insert waits for a transaction that holds the same id. */
export async function claimHookDelivery(session: Session, key: HookDeliveryKey): Promise<boolean> {
  const rows = await session`
    insert into hook_delivery (project_id, name, delivery_hash, outcome)
    values (${key.projectId}, ${key.name}, ${key.deliveryHash}, 'ignored') on conflict do nothing returning 1`;
  return rows.length > 0;
}

export async function storeHookReceipt(session: Session, key: HookDeliveryKey, receipt: HookReceipt): Promise<void> {
  await session`
    update hook_delivery set outcome = ${receipt.outcome}, run_id = ${receipt.runId}, signal_id = ${receipt.signalId}
    where project_id = ${key.projectId} and name = ${key.name} and delivery_hash = ${key.deliveryHash}`;
}

export async function findHookReceipt(session: Session, key: HookDeliveryKey): Promise<HookReceipt | null> {
  const [row] = await session<HookReceipt[]>`
    select outcome, run_id as "runId", signal_id as "signalId" from hook_delivery
    where project_id = ${key.projectId} and name = ${key.name} and delivery_hash = ${key.deliveryHash}`;
  return row === undefined ? null : { ...row };
}
