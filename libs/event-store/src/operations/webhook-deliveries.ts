import { z } from 'zod';
import { jsonObjectSchema, type Json } from '#libs/domain';
import type { AnnouncedEvent, AnnouncedFacts, ClaimedDelivery } from '#libs/engine';
import type { Session } from '../session.js';

/** Ids are made here and not by SQL: they are UUIDv7, which Postgres has from 18 on. */
export async function announce(
  session: Session,
  projectId: string,
  events: readonly AnnouncedEvent[],
  newId: () => string,
): Promise<void> {
  const types = events.map(({ type }) => type);
  const endpoints = await session<{ endpoint_id: string; event_types: string[] }[]>`
    select endpoint_id, event_types from webhook_endpoint
    where project_id = ${projectId} and disabled_at is null and event_types && ${types}::text[]`;
  const rows = endpoints.flatMap(({ endpoint_id, event_types }) =>
    events
      .filter(({ type }) => event_types.includes(type))
      .map(({ eventId, type, runId }) => ({
        ...{ project_id: projectId, delivery_id: newId(), endpoint_id },
        ...{ event_id: eventId, event_type: type, run_id: runId },
      })),
  );
  if (rows.length === 0) return;
  await session`insert into webhook_delivery ${session(rows)}
    on conflict (project_id, endpoint_id, event_id) do nothing`;
}

type ClaimRow = Omit<ClaimedDelivery, 'secrets'> & { secrets: Json; now: string };

/**
 * Endpoint by endpoint, so that one with a long line does not keep the others waiting. A claim moves `due_at` past its
 * own end: what its process does not report on is due again then.
 */
export async function claimDeliveries(
  session: Session,
  claim: { limit: number; perEndpoint: number; busy: readonly string[]; leaseMs: number },
): Promise<ClaimedDelivery[]> {
  const rows = await session<ClaimRow[]>`
    with due as (
      select d.project_id, d.delivery_id from webhook_endpoint e
      cross join lateral (
        select project_id, delivery_id, due_at from webhook_delivery
        where project_id = e.project_id and endpoint_id = e.endpoint_id and status = 'pending' and due_at <= now()
        order by due_at limit ${claim.perEndpoint} for no key update skip locked
      ) d
      where e.disabled_at is null and e.endpoint_id <> all(${[...claim.busy]}::text[])
      order by d.due_at limit ${claim.limit}
    ), claimed as (
      update webhook_delivery d set attempt = attempt + 1, last_attempt_at = clock_timestamp(),
        due_at = now() + ${claim.leaseMs}::float8 * interval '1 millisecond'
      from due where d.project_id = due.project_id and d.delivery_id = due.delivery_id returning d.*
    )
    select c.project_id as "projectId", c.delivery_id as "deliveryId", c.endpoint_id as "endpointId", c.event_id as "eventId",
      c.event_type as "eventType", c.run_id as "runId", c.created_at as "createdAt", c.attempt, e.url,
      e.include_content as "includesContent", e.secrets, now() as now
    from claimed c join webhook_endpoint e on e.project_id = c.project_id and e.endpoint_id = c.endpoint_id`;
  return rows.map(({ secrets, now, ...row }) => ({ ...row, secrets: secretsInForce(secrets, now) }));
}

const storedSecrets = z.array(z.object({ secret: z.string(), expires_at: z.string().nullable() }));

/** The newest first; those whose overlap is over are left out. */
export function secretsInForce(stored: Json, now: string): string[] {
  const at = Date.parse(now);
  return storedSecrets
    .parse(stored)
    .filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > at)
    .map(({ secret }) => secret);
}

type FactsRow = {
  type: string;
  step_id: string | null;
  item: number | null;
  round: number;
  data: Json;
  recorded_at: string;
  run_id: string;
  pipeline: string;
  pipeline_version: number;
  stream_id: string;
  tags: string[];
};

export async function findAnnouncedFacts(
  session: Session,
  projectId: string,
  eventId: string,
): Promise<AnnouncedFacts | null> {
  const [row] = await session<FactsRow[]>`
    select e.type, e.step_id, e.item, e.round, coalesce(e.data, p.body) as data, e.recorded_at,
      r.run_id, r.pipeline, r.pipeline_version, r.stream_id, r.tags
    from event e
    join run r on r.run_id = e.run_id and r.project_id = e.project_id
    left join payload p on p.project_id = e.project_id and p.hash = e.payload_hash
    where e.project_id = ${projectId} and e.event_id = ${eventId}::uuid`;
  if (row === undefined) return null;
  return {
    ...{ eventId, type: row.type, stepId: row.step_id, item: row.item, round: row.round },
    data: jsonObjectSchema.parse(row.data),
    recordedAt: row.recorded_at,
    run: {
      id: row.run_id,
      pipeline: row.pipeline,
      version: row.pipeline_version,
      streamId: row.stream_id,
      tags: row.tags,
    },
  };
}
