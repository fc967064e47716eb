import { sql } from 'kysely';
import type { Json } from '#libs/domain';
import type { CompactionStatus } from '../schema/compaction.table.js';
import { fromStoredText } from '../encoding/stored-text.js';
import type { PageRequest, ReadDatabase } from './read-database.js';

export type CompactionRow = {
  compactionId: string;
  streamId: string;
  runId: string | null;
  status: CompactionStatus;
  reason: string;
  rangeLo: number;
  rangeHi: number;
  entryLo: number;
  entryHi: number;
  supersedes: string | null;
  live: boolean;
  charsBefore: number | null;
  charsAfter: number | null;
  bytesSaved: number | null;
  summary: string | null;
  summarizerModel: string | null;
  extractive: boolean;
  sourceDigest: string | null;
  policyHash: string;
  attempts: Json;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  costUsd: number;
  modelCalls: number;
  requestedAt: string;
  endedAt: string | null;
};

const columns = [
  'compaction_id as compactionId',
  'stream_id as streamId',
  'run_id as runId',
  'status',
  'reason',
  'range_lo as rangeLo',
  'range_hi as rangeHi',
  'entry_lo as entryLo',
  'entry_hi as entryHi',
  'supersedes',
  'live',
  'chars_before as charsBefore',
  'chars_after as charsAfter',
  'bytes_saved as bytesSaved',
  'summary',
  'summarizer_model as summarizerModel',
  'extractive',
  'source_digest as sourceDigest',
  'policy_hash as policyHash',
  'attempts',
  'input_tokens as inputTokens',
  'cached_tokens as cachedTokens',
  'output_tokens as outputTokens',
  'cost_usd as costUsd',
  'model_calls as modelCalls',
  'queued_at as requestedAt',
  'ended_at as endedAt',
] as const;

/** `entry`: those whose range holds it. */
export type CompactionFilters = { streamId?: string; status?: CompactionStatus; entry?: number };
export type CompactionKey = { requestedAt: string; compactionId: string };

/** Newest first. A stream's id finds those of its sub-streams too. */
export async function listCompactions(
  db: ReadDatabase,
  projectId: string,
  filters: CompactionFilters,
  page: PageRequest<CompactionKey>,
): Promise<CompactionRow[]> {
  let query = db
    .selectFrom('compaction')
    .select(columns)
    .where('project_id', '=', projectId)
    .orderBy('queued_at', 'desc')
    .orderBy('compaction_id', 'desc');
  const { streamId, status, entry } = filters;
  if (streamId !== undefined) {
    query = query.where((eb) =>
      eb.or([eb('stream_id', '=', streamId), sql<boolean>`starts_with(stream_id, ${`${streamId}:step:`})`]),
    );
  }
  if (status !== undefined) query = query.where('status', '=', status);
  if (entry !== undefined) query = query.where('entry_lo', '<=', entry).where('entry_hi', '>=', entry);
  const { after } = page;
  if (after !== null)
    query = query.where(
      sql<boolean>`(queued_at, compaction_id) < (${after.requestedAt}::timestamptz, ${after.compactionId})`,
    );
  return (await query.limit(page.limit + 1).execute()).map(readable);
}

export async function findCompaction(
  db: ReadDatabase,
  projectId: string,
  compactionId: string,
): Promise<CompactionRow | null> {
  const found = await db
    .selectFrom('compaction')
    .select(columns)
    .where('project_id', '=', projectId)
    .where('compaction_id', '=', compactionId)
    .executeTakeFirst();
  return found === undefined ? null : readable(found);
}

function readable(row: CompactionRow): CompactionRow {
  return { ...row, summary: row.summary === null ? null : fromStoredText(row.summary) };
}
