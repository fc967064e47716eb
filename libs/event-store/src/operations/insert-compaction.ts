import type { NewCompaction } from '#libs/engine';
import type { Session } from '../session.js';

/** False: the view has an open compaction (index compaction_open) and this one would be open too; nothing was inserted. */
export async function insertCompaction(session: Session, compaction: NewCompaction): Promise<boolean> {
  const { range, entries } = compaction;
  const [inserted] = await session`
    insert into compaction (project_id, compaction_id, stream_id, run_id, step_id, item, view_run_id, cutoff_seq, status, reason,
      range_lo, range_hi, entry_lo, entry_hi, supersedes, manifest, policy_hash, max_summary_chars, chars_before)
    values (${compaction.projectId}, ${compaction.compactionId}, ${compaction.streamId}, ${compaction.runId}, ${compaction.stepId},
      ${compaction.item}, ${compaction.viewRunId}, ${compaction.cutoffSeq}, ${compaction.status ?? 'requested'}, ${compaction.reason},
      ${range[0]}, ${range[1]}, ${entries[0]}, ${entries[1]}, ${compaction.supersedes}, ${compaction.manifest}, ${compaction.policyHash},
      ${compaction.maxSummaryChars}, ${compaction.charsBefore})
    on conflict (project_id, stream_id, (coalesce(view_run_id, ''))) where status in ('requested', 'running') do nothing
    returning 1`;
  return inserted !== undefined;
}
