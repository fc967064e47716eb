import type { TriggerTransaction } from '#libs/engine';
import { claimHookDelivery, storeHookReceipt } from './operations/hook-deliveries.js';
import { insertTick, lockSchedule, moveSchedule } from './operations/schedules.js';
import { announce } from './operations/webhook-deliveries.js';
import type { Session } from './session.js';

/** Schedules, webhooks and hooks of a transaction. */
export function triggerTransaction(open: () => Session): TriggerTransaction {
  return {
    lockSchedule: (projectId, name) => lockSchedule(open(), projectId, name),
    moveSchedule: (projectId, name, nextAt) => moveSchedule(open(), projectId, name, nextAt),
    insertTick: (tick) => insertTick(open(), tick),
    announce: (projectId, events, newId) => announce(open(), projectId, events, newId),
    claimHookDelivery: (key) => claimHookDelivery(open(), key),
    storeHookReceipt: (key, receipt) => storeHookReceipt(open(), key, receipt),
  };
}
