import { sql, type RawBuilder } from 'kysely';
import type { Json } from '#libs/domain';
import { toStoredJson } from '../encoding/stored-json.js';

/** One secret, in force until it is replaced. */
export const onlySecret = (secret: string): Json => [{ secret, expires_at: null }];

/** Those of before, besides the new one: rotated twice within an overlap, all of them still count. */
const MOST_SECRETS = 5;

/** The new secret in front; those before it hold for `overlapMs` more at most, and none that is over stays. */
export function rotatedSecrets(secret: string, overlapMs: number): RawBuilder<Json> {
  const first = toStoredJson(onlySecret(secret));
  return sql<Json>`(${first}::text)::jsonb || coalesce((
    select jsonb_agg(jsonb_build_object('secret', s.value->'secret', 'expires_at', to_char(
        least((s.value->>'expires_at')::timestamptz, now() + ${overlapMs}::float8 * interval '1 millisecond') at time zone 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by s.ordinality)
    from jsonb_array_elements(secrets) with ordinality s
    where s.ordinality < ${MOST_SECRETS} and ${overlapMs}::float8 > 0
      and coalesce((s.value->>'expires_at')::timestamptz > now(), true)), '[]'::jsonb)`;
}
