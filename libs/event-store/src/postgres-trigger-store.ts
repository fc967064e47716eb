import type { TriggerStore } from '#libs/engine';
import type { Database } from './connect.js';
import { findHookReceipt } from './operations/hook-deliveries.js';
import { findDueSchedules } from './operations/schedules.js';
import { claimDeliveries, findAnnouncedFacts } from './operations/webhook-deliveries.js';
import { forgetDeliveries, storeDeliveryResult } from './operations/webhook-results.js';

/** What is read and written of schedules, webhooks and hooks outside a run's transaction. */
export function postgresTriggerStore(db: Database): TriggerStore {
  return {
    findDueSchedules: (limit) => db.run((sql) => findDueSchedules(sql, limit)),
    claimDeliveries: (claim) => db.run((sql) => claimDeliveries(sql, claim)),
    announcedFacts: (projectId, eventId) => db.run((sql) => findAnnouncedFacts(sql, projectId, eventId)),
    storeDeliveryResult: (result) => db.run((sql) => sql.begin((session) => storeDeliveryResult(session, result))),
    getHookReceipt: (key) => db.run((sql) => findHookReceipt(sql, key)),
    forgetDeliveries: (olderThanMs, limit) => db.run((sql) => forgetDeliveries(sql, olderThanMs, limit)),
  };
}
