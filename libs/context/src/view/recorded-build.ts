import { exactCheck, type Frontier, type ViewEvent } from '#libs/domain';
import { z } from 'zod';
import { recordedCompactionSchema } from './recorded-compaction.js';

/**
 * What a build leaves in its report for the next one, so that no older history is read than is shown: counts and sums over
 * the view up to `upto_seq`, in `report.base`.
 */
export const baseSchema = z.object({
  view: z.string(),
  /** Names system prompt and tools: what stands in front of the messages. */
  head: z.string(),
  /** Names the model facts that the frontier depends on. */
  facts: z.string(),
  /** Complete turns and user messages so far. */
  turns: z.number().int().nonnegative(),
  users: z.number().int().nonnegative(),
  /** Chars of all entries of the view that are in its conversation, as stored. */
  original_chars: z.number().int().nonnegative(),
  /** Chars of the messages of a build with repair only. */
  unmanaged_chars: z.number().int().nonnegative(),
  /** Turns up to the end of the ranges that compactions of the view had, by seq. */
  range_turns: z.record(z.string(), z.number().int()),
  first_entry: z.number().int().nonnegative(),
  /** Reported ÷ raw tokens of the last completed call of each model. */
  token_ratios: z.record(z.string(), z.number()),
  raw_tokens: z.number().nonnegative(),
  /** Rung of the ladder that shortens observations: those of at least `min_chars` up to entry `to`. */
  shortening: z.object({ min_chars: z.number().int(), to: z.number().int() }).nullable(),
  /** Chars that moved boundaries would have spared in the calls since they moved last. Older builders did not record it. */
  stale_chars: z.number().int().nonnegative().default(0),
  /** Seq from which the next build needs all events, and single older entries that are pinned. */
  needs_from: z.number().int().nonnegative(),
  /** Entries that are pinned, and seqs of these and other single older entries that are shown. */
  pinned: z.array(z.number().int()),
  pinned_seqs: z.array(z.number().int()),
  rolled_back: z.number().int().nonnegative(),
  /** Absent in reports of earlier Weirs: then the compaction events are folded from the first one. */
  compaction: recordedCompactionSchema.optional(),
});
export type RecordedBase = z.infer<typeof baseSchema>;

export type RecordedBuild = {
  readonly seq: number;
  readonly runId: string | null;
  readonly round: number;
  readonly callNo: number;
  readonly uptoSeq: number;
  readonly model: string;
  readonly policyHash: string;
  readonly frontier: Frontier;
  readonly chars: number;
  /** Null: there was none. */
  readonly softCap: number | null;
  readonly base: RecordedBase;
};

const isBase = exactCheck(baseSchema);
const known = new WeakMap<ViewEvent, RecordedBuild | null>();

/** What `LlmCallStarted` says of its build; null when its report was made by another builder. */
export function readRecordedBuild(event: Extract<ViewEvent, { type: 'LlmCallStarted' }>): RecordedBuild | null {
  const found = known.get(event);
  if (found !== undefined) return found;
  const recorded = parseRecordedBuild(event);
  known.set(event, recorded);
  return recorded;
}

function parseRecordedBuild(event: Extract<ViewEvent, { type: 'LlmCallStarted' }>): RecordedBuild | null {
  const { seq, runId, round, data } = event;
  const { base: recorded, soft_cap: softCap } = data.report;
  const base = isBase(recorded) ? recorded : baseSchema.safeParse(recorded).data;
  if (base === undefined) return null;
  return {
    seq,
    runId,
    round,
    callNo: data.call_no,
    uptoSeq: data.upto_seq,
    model: data.model,
    policyHash: data.policy_hash,
    frontier: data.frontier,
    chars: data.approx_context_chars,
    softCap: typeof softCap === 'number' ? softCap : null,
    base,
  };
}
