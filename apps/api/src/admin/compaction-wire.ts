import type { CompactionRow } from '#libs/event-store';
import { toUsage } from '../runs/run-wire.js';
import type { Compaction } from './compaction.schema.js';

export function toCompaction(row: CompactionRow, showsContent: boolean): Compaction {
  return {
    id: row.compactionId,
    stream_id: row.streamId,
    run_id: row.runId,
    status: row.status,
    reason: row.reason,
    range: [row.rangeLo, row.rangeHi],
    entries: [row.entryLo, row.entryHi],
    supersedes: row.supersedes,
    live: row.live,
    chars_before: row.charsBefore,
    chars_after: row.charsAfter,
    bytes_saved: row.bytesSaved,
    summary: showsContent ? row.summary : null,
    summarizer: { model: row.summarizerModel, extractive: row.extractive },
    source_digest: row.sourceDigest,
    policy_hash: row.policyHash,
    usage: toUsage({ ...row, toolCalls: 0 }),
    attempts: Array.isArray(row.attempts) ? row.attempts : [],
    requested_at: row.requestedAt,
    ended_at: row.endedAt,
    allowed_actions: actionsOf(row),
  };
}

function actionsOf(row: CompactionRow): Compaction['allowed_actions'] {
  switch (row.status) {
    case 'compacted':
      return row.live ? ['rollback'] : [];
    case 'skipped':
    case 'discarded':
    case 'failed':
      return ['retry'];
    case 'requested':
    case 'running':
    case 'rolled_back':
      return [];
  }
}
