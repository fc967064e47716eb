import { sql, type SqlBool } from 'kysely';
import {
  DELIVERY_COLUMNS,
  deliveryRecord,
  ENDPOINT_COLUMNS,
  endpointRecord,
  type DeliveryRecord,
  type EndpointRecord,
} from '../operations/webhook-endpoint-row.js';
import type { PageRequest, ReadDatabase } from './read-database.js';

export type { DeliveryRecord, EndpointRecord } from '../operations/webhook-endpoint-row.js';

export async function findEndpoint(
  db: ReadDatabase,
  projectId: string,
  endpointId: string,
): Promise<EndpointRecord | null> {
  const row = await db
    .selectFrom('webhook_endpoint')
    .select(ENDPOINT_COLUMNS)
    .where('project_id', '=', projectId)
    .where('endpoint_id', '=', endpointId)
    .executeTakeFirst();
  return row === undefined ? null : endpointRecord(row);
}

/** Oldest first: ids grow. */
export async function listEndpoints(
  db: ReadDatabase,
  projectId: string,
  page: PageRequest<string>,
): Promise<EndpointRecord[]> {
  const rows = await db
    .selectFrom('webhook_endpoint')
    .select(ENDPOINT_COLUMNS)
    .where('project_id', '=', projectId)
    .where((eb) => eb.and(page.after === null ? [] : [eb('endpoint_id', '>', page.after)]))
    .orderBy('endpoint_id')
    .limit(page.limit + 1)
    .execute();
  return rows.map(endpointRecord);
}

export type DeliveryKey = { createdAt: string; deliveryId: string };

/** Newest first. */
export async function listDeliveries(
  db: ReadDatabase,
  of: { projectId: string; endpointId: string; status?: DeliveryRecord['status']; runId?: string },
  page: PageRequest<DeliveryKey>,
): Promise<DeliveryRecord[]> {
  const { after } = page;
  const rows = await db
    .selectFrom('webhook_delivery')
    .select(DELIVERY_COLUMNS)
    .where('project_id', '=', of.projectId)
    .where('endpoint_id', '=', of.endpointId)
    .where((eb) =>
      eb.and([
        ...(of.status === undefined ? [] : [eb('status', '=', of.status)]),
        ...(of.runId === undefined ? [] : [eb('run_id', '=', of.runId)]),
        ...(after === null
          ? []
          : [sql<SqlBool>`(created_at, delivery_id) < (${after.createdAt}::timestamptz, ${after.deliveryId})`]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('delivery_id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return rows.map(deliveryRecord);
}

/** Of the installation, for metrics. */
export async function countTriggers(
  db: ReadDatabase,
): Promise<{ pending: number; dead: number; disabled: number; overdue: number }> {
  const count = sql<number>`count(*)::int`.as('count');
  const delivery = (status: 'pending' | 'dead') =>
    db
      .selectFrom('webhook_delivery')
      .select(count)
      // A literal: the partial indexes are used only when their condition stands in the statement.
      .where(status === 'dead' ? sql<SqlBool>`status = 'dead'` : sql<SqlBool>`status = 'pending'`)
      .executeTakeFirstOrThrow();
  const disabled = db.selectFrom('webhook_endpoint').select(count).where('disabled_at', 'is not', null);
  const overdue = db
    .selectFrom('schedule')
    .select(count)
    .where('paused_at', 'is', null)
    .where(sql<SqlBool>`next_at < now() - interval '1 minute'`);
  const [pending, dead, off, late] = await Promise.all([
    delivery('pending'),
    delivery('dead'),
    disabled.executeTakeFirstOrThrow(),
    overdue.executeTakeFirstOrThrow(),
  ]);
  return { pending: pending.count, dead: dead.count, disabled: off.count, overdue: late.count };
}
