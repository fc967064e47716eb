import type { Generated } from 'kysely';
import type { JsonColumn } from './column-kinds.js';
import type { LeaseColumns } from './lease-columns.js';

export type CompactionStatus =
  'requested' | 'running' | 'compacted' | 'skipped' | 'discarded' | 'failed' | 'rolled_back';

export type CompactionTable = LeaseColumns & {
  project_id: string;
  compaction_id: string;
  stream_id: string;
  run_id: string | null;
  step_id: string | null;
  item: number | null;
  view_run_id: string | null;
  cutoff_seq: number;
  status: CompactionStatus;
  reason: string;
  range_lo: number;
  range_hi: number;
  entry_lo: number;
  entry_hi: number;
  supersedes: string | null;
  live: Generated<boolean>;
  manifest: string;
  policy_hash: string;
  max_summary_chars: number;
  chars_before: number | null;
  chars_after: number | null;
  bytes_saved: number | null;
  /** Written with toStoredText, read with fromStoredText. */
  summary: string | null;
  summarizer_model: string | null;
  extractive: Generated<boolean>;
  source_digest: string | null;
  attempts: JsonColumn;
  /** Waits of steps for it that have ended, and their time. */
  waits: Generated<number>;
  waited_ms: Generated<number>;
  models_failed: Generated<boolean>;
};
