import { sql, type Kysely } from 'kysely';
import {
  ENDPOINT_COLUMNS,
  DELIVERY_COLUMNS,
  deliveryRecord,
  endpointRecord,
  type DeliveryRecord,
  type EndpointRecord,
} from '../operations/webhook-endpoint-row.js';
import type { DatabaseSchema } from '../schema/database-schema.js';
import { recordAudit } from './audit.js';
import { onlySecret, rotatedSecrets } from './stored-secrets.js';

type Db = Kysely<DatabaseSchema>;
type Place = { projectId: string; endpointId: string; actor: string };

export type NewEndpoint = Place & {
  url: string;
  description: string | null;
  eventTypes: readonly string[];
  includesContent: boolean;
  secret: string;
};

export async function createEndpoint(db: Db, endpoint: NewEndpoint): Promise<EndpointRecord> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .insertInto('webhook_endpoint')
      .values({
        project_id: endpoint.projectId,
        endpoint_id: endpoint.endpointId,
        url: endpoint.url,
        description: endpoint.description,
        event_types: [...endpoint.eventTypes],
        include_content: endpoint.includesContent,
        secrets: onlySecret(endpoint.secret),
      })
      .returning(ENDPOINT_COLUMNS)
      .executeTakeFirstOrThrow();
    await audit(tx, endpoint, 'webhook_endpoint.created', endpoint.url);
    return endpointRecord(row);
  });
}

export type EndpointChange = {
  url?: string;
  description?: string | null;
  eventTypes?: readonly string[];
  includesContent?: boolean;
  enabled?: boolean;
};

/** An endpoint that is enabled again begins with a clean record; what waited for it is due at once. Null: there is none. */
export async function changeEndpoint(db: Db, place: Place, change: EndpointChange): Promise<EndpointRecord | null> {
  const { url, description, eventTypes, includesContent, enabled } = change;
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('webhook_endpoint')
      .set({
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description }),
        ...(eventTypes === undefined ? {} : { event_types: [...eventTypes] }),
        ...(includesContent === undefined ? {} : { include_content: includesContent }),
        ...(enabled === true ? { disabled_at: null, disabled_reason: null, failing_since: null, failures: 0 } : {}),
        ...(enabled === false
          ? { disabled_at: sql<string>`coalesce(disabled_at, now())`, disabled_reason: 'somebody disabled it' }
          : {}),
        updated_at: sql`now()`,
      })
      .where('project_id', '=', place.projectId)
      .where('endpoint_id', '=', place.endpointId)
      .returning(ENDPOINT_COLUMNS)
      .executeTakeFirst();
    if (row === undefined) return null;
    await audit(tx, place, 'webhook_endpoint.changed', row.url);
    return endpointRecord(row);
  });
}

/** With what waits for it and its ledger. False: there is none. */
export async function deleteEndpoint(db: Db, place: Place): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const deleted = await tx
      .deleteFrom('webhook_endpoint')
      .where('project_id', '=', place.projectId)
      .where('endpoint_id', '=', place.endpointId)
      .returning('url')
      .executeTakeFirst();
    if (deleted !== undefined) await audit(tx, place, 'webhook_endpoint.deleted', deleted.url);
    return deleted !== undefined;
  });
}

/** Null: there is none. */
export async function rotateEndpointSecret(
  db: Db,
  place: Place,
  rotation: { secret: string; overlapMs: number },
): Promise<EndpointRecord | null> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('webhook_endpoint')
      .set({ secrets: rotatedSecrets(rotation.secret, rotation.overlapMs), updated_at: sql`now()` })
      .where('project_id', '=', place.projectId)
      .where('endpoint_id', '=', place.endpointId)
      .returning(ENDPOINT_COLUMNS)
      .executeTakeFirst();
    if (row === undefined) return null;
    await audit(tx, place, 'webhook_endpoint.secret_rotated', row.url);
    return endpointRecord(row);
  });
}

/** A delivery that announces nothing. */
export async function insertTestDelivery(
  db: Db,
  delivery: { projectId: string; endpointId: string; deliveryId: string; eventType: string },
): Promise<DeliveryRecord> {
  const row = await db
    .insertInto('webhook_delivery')
    .values({
      project_id: delivery.projectId,
      delivery_id: delivery.deliveryId,
      endpoint_id: delivery.endpointId,
      event_id: null,
      event_type: delivery.eventType,
      run_id: null,
      last_status: null,
      last_error: null,
    })
    .returning(DELIVERY_COLUMNS)
    .executeTakeFirstOrThrow();
  return deliveryRecord(row);
}

/** Of one endpoint: those named, else those with the status, that were made since a time. */
export type Redelivery = Place & {
  deliveryIds: readonly string[] | null;
  status: 'dead' | 'delivered' | null;
  since: string | null;
  limit: number;
};

/** Sends again, under the same ids; their attempts count from the beginning. The oldest first. Returns how many. */
export async function redeliver(db: Db, order: Redelivery): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const chosen = tx
      .selectFrom('webhook_delivery')
      .select('delivery_id')
      .where('project_id', '=', order.projectId)
      .where('endpoint_id', '=', order.endpointId)
      .where('status', '<>', 'pending')
      .where((eb) =>
        eb.and([
          ...(order.deliveryIds === null ? [] : [sql<boolean>`delivery_id = any(${[...order.deliveryIds]}::text[])`]),
          ...(order.status === null ? [] : [eb('status', '=', order.status)]),
          ...(order.since === null ? [] : [eb('created_at', '>=', order.since)]),
        ]),
      )
      .orderBy('created_at')
      .limit(order.limit);
    const again = await tx
      .updateTable('webhook_delivery')
      .set({ status: 'pending', attempt: 0, due_at: sql`now()`, ended_at: null })
      .where('project_id', '=', order.projectId)
      .where('delivery_id', 'in', chosen)
      .returning('delivery_id')
      .execute();
    if (again.length > 0) await audit(tx, order, 'webhook_endpoint.redelivered', String(again.length));
    return again.length;
  });
}

const audit = (tx: Db, place: Place, action: string, about: string): Promise<void> =>
  recordAudit(tx, {
    projectId: place.projectId,
    actor: place.actor,
    action,
    subject: place.endpointId,
    detail: { about },
  });
