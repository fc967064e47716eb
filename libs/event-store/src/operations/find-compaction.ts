import type { CompactionRecord, CompactionStore } from '#libs/engine';
import { fromStoredText } from '../encoding/stored-text.js';
import type { Session } from '../session.js';
import { COMPACTION_COLUMNS, compactionRecord, type CompactionRow } from './compaction-row.js';

export async function findCompaction(
  session: Session,
  projectId: string,
  compactionId: string,
): Promise<CompactionRecord | null> {
  const [row] = await session<CompactionRow[]>`
    select ${session(COMPACTION_COLUMNS)} from compaction where project_id = ${projectId} and compaction_id = ${compactionId}`;
  return row === undefined ? null : compactionRecord(row);
}

export async function lockCompaction(
  session: Session,
  projectId: string,
  compactionId: string,
): Promise<CompactionRecord | null> {
  const [row] = await session<CompactionRow[]>`
    select ${session(COMPACTION_COLUMNS)} from compaction where project_id = ${projectId} and compaction_id = ${compactionId} for no key update`;
  return row === undefined ? null : compactionRecord(row);
}

/** The view's compaction that is requested or running; there is at most one. `viewRunId` null: the view `inherit`. */
export async function findOpenCompaction(
  session: Session,
  projectId: string,
  streamId: string,
  viewRunId: string | null,
): Promise<string | null> {
  const [row] = await session<{ compaction_id: string }[]>`
    select compaction_id from compaction
    where project_id = ${projectId} and stream_id = ${streamId} and coalesce(view_run_id, '') = ${viewRunId ?? ''} and status in ('requested', 'running')`;
  return row?.compaction_id ?? null;
}

/** Compactions whose worker stopped renewing, longest first. */
export async function findExpiredCompactions(session: Session, limit: number): Promise<CompactionRecord[]> {
  const rows = await session<CompactionRow[]>`
    select ${session(COMPACTION_COLUMNS)} from compaction where status = 'running' and lease_until < now() order by lease_until limit ${limit}`;
  return rows.map(compactionRecord);
}

/** Step runs that wait for a compaction which has ended: their wake-up was lost. */
export async function findWaitersOfEndedCompactions(
  session: Session,
  limit: number,
): Promise<{ projectId: string; runId: string; stepRunId: string }[]> {
  const rows = await session<{ projectId: string; runId: string; stepRunId: string }[]>`
    select w.project_id as "projectId", s.run_id as "runId", w.step_run_id as "stepRunId"
    from wait w
    cross join lateral (select 1 from compaction where compaction_id = w.key and ended_at is not null limit 1) c
    cross join lateral (select run_id from step_run where step_run_id = w.step_run_id and status = 'waiting' limit 1) s
    where w.kind = 'compaction' order by w.created_at limit ${limit}`;
  return rows.map((row) => ({ ...row }));
}

/** A summary of the same events in the same bound by this model, applied or not; a rollback bars the digest. */
export async function findCachedSummary(
  session: Session,
  query: Parameters<CompactionStore['findCachedSummary']>[0],
): Promise<{ summary: string; extractive: boolean } | null> {
  const [row] = await session<{ summary: string; extractive: boolean }[]>`
    select c.summary, c.extractive from compaction c
    where c.project_id = ${query.projectId} and c.source_digest = ${query.sourceDigest} and c.summarizer_model = ${query.model}
      and c.max_summary_chars = ${query.maxSummaryChars} and c.summary is not null
      and not exists (
        select from compaction b where b.project_id = c.project_id and b.source_digest = c.source_digest and b.status = 'rolled_back')
    order by c.queued_at desc limit 1`;
  return row === undefined ? null : { summary: fromStoredText(row.summary), extractive: row.extractive };
}
