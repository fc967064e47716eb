import { sql, type Kysely, type RawBuilder } from 'kysely';
import { ERASED_DIGEST } from '#libs/domain';
import type { DatabaseSchema } from '../../schema/database-schema.js';

type Db = Kysely<DatabaseSchema>;

/** What was erased of one log: its first seq. */
export type ErasedLog = { streamId: string; firstSeq: number };

/**
 * Makes tombstones of events: place, type and times stay, so that sequences have no gap and references lead somewhere.
 * Bodies that nothing refers to any more are deleted.
 * @param which a condition over `e`, the event.
 */
export async function eraseEvents(db: Db, projectId: string, which: RawBuilder<unknown>): Promise<ErasedLog[]> {
  const { rows } = await sql<{ stream_id: string; seq: number; payload_hash: string | null; manifest: string | null }>`
    with old as materialized (
      select e.project_id, e.stream_id, e.seq, e.payload_hash,
        case when e.type in ('LlmCallStarted', 'StepStarted') then e.data->>'manifest' end as manifest
      from event e where e.project_id = ${projectId} and e.type <> 'EventErased' and (${which})
    ), gone as (
      update event e set type = 'EventErased', schema_version = 1, data = jsonb_build_object('type', e.type), payload_hash = null,
        digest = ${ERASED_DIGEST}, chars = 0
      from old where e.project_id = old.project_id and e.stream_id = old.stream_id and e.seq = old.seq
    )
    select stream_id, seq, payload_hash, manifest from old`.execute(db);
  const hashes = rows.flatMap((row) => [row.payload_hash, row.manifest]).filter((hash) => hash !== null);
  await deleteBodies(db, projectId, [...new Set(hashes)]);
  const first = new Map<string, number>();
  for (const { stream_id: id, seq } of rows) first.set(id, Math.min(seq, first.get(id) ?? seq));
  await sql`
    update stream set erasures = erasures + 1
    where project_id = ${projectId} and stream_id = any(${[...first.keys()]}::text[])`.execute(db);
  return [...first].map(([streamId, firstSeq]) => ({ streamId, firstSeq }));
}

/** Bodies and manifests that no event, step, compaction or recording refers to. */
async function deleteBodies(db: Db, projectId: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await sql`
    delete from payload p where p.project_id = ${projectId} and p.hash = any(${[...hashes]}::text[])
      and not exists (select from event e where e.project_id = p.project_id and e.payload_hash = p.hash)
      and not exists (select from event e where e.project_id = p.project_id and e.type = 'LlmCallStarted' and e.data->>'manifest' = p.hash)
      and not exists (select from step_run s where s.project_id = p.project_id and s.manifest = p.hash)
      and not exists (select from compaction c where c.project_id = p.project_id and c.manifest = p.hash)
      and not exists (select from recording r where r.project_id = p.project_id and r.hash = p.hash)`.execute(db);
}

/**
 * What others made of what was erased: summaries over it go too; later calls forget what they left for the next build, which
 * is made anew from what there is.
 */
export async function eraseTraces(db: Db, projectId: string, { streamId, firstSeq }: ErasedLog): Promise<void> {
  await eraseEvents(
    db,
    projectId,
    sql`e.stream_id = ${streamId} and e.type = 'ContextCompacted' and (e.data->'replaces_seq_range'->>1)::bigint >= ${firstSeq}`,
  );
  await sql`
    update event e set data = e.data || '{"report":{}}', digest = ${ERASED_DIGEST}
    where e.project_id = ${projectId} and e.stream_id = ${streamId} and e.type = 'LlmCallStarted'
      and e.data is not null and (e.data->>'upto_seq')::bigint >= ${firstSeq}`.execute(db);
  await sql`
    update compaction c set summary = null, source_digest = null, attempts = '[]', live = false,
      status = case when status = 'compacted' then 'rolled_back' else status end
    where c.project_id = ${projectId} and c.stream_id = ${streamId} and c.range_hi >= ${firstSeq}
      and c.status not in ('requested', 'running')`.execute(db);
  await sql`
    update compaction c set live = true
    where c.project_id = ${projectId} and c.stream_id = ${streamId} and c.status = 'compacted'
      and not exists (
        select from compaction newer where newer.project_id = c.project_id and newer.stream_id = c.stream_id
          and newer.view_run_id is not distinct from c.view_run_id and newer.status = 'compacted' and newer.range_hi > c.range_hi)`.execute(
    db,
  );
}
