import type { ViewEvent } from '#libs/domain';
import type { ViewSpec } from '../build-result.js';
import { nests } from './compaction-state.js';
import { readView } from './read-view.js';
import { viewCutoff } from './view-key.js';

/** The part of a compaction that is checked against the events before it is appended. */
export type CompactionRange = { readonly range: readonly [number, number]; readonly supersedes: string | null };
export type RangeFault = { readonly reason: 'splits_turn' | 'not_nested' | 'superseded'; readonly detail: string };

/**
 * Whether `ContextCompacted` may be appended now: it begins where the view begins, nests around the live one, and splits no turn.
 * `events`: those of the sub-stream from the end of the live summary on, or all. The digest of the range is the caller's to check.
 */
export function checkCompactionRange(
  events: readonly ViewEvent[],
  spec: ViewSpec,
  { range, supersedes }: CompactionRange,
): RangeFault | null {
  const view = readView(events, spec);
  const { live } = view.compaction;
  const [from, to] = range;
  if (from !== viewCutoff(spec) + 1)
    return { reason: 'not_nested', detail: `the range begins at seq ${from}, the view at ${viewCutoff(spec) + 1}` };
  if (live !== null && !nests(range, live.range))
    return {
      reason: 'not_nested',
      detail: `the range ends at seq ${to}, the live compaction ${live.id} at ${live.range[1]}`,
    };
  if (live !== null && live.id !== supersedes && !live.extractive)
    return { reason: 'superseded', detail: `compaction ${live.id} was applied since` };
  for (const turn of view.turns) {
    const seqs = [turn.answer.seq, ...turn.results.map(({ seq }) => seq ?? turn.answer.seq)];
    const isSplit = seqs.some((seq) => seq <= to) && seqs.some((seq) => seq > to);
    if (isSplit)
      return { reason: 'splits_turn', detail: `the turn of answer #${turn.answer.entry} reaches over seq ${to}` };
  }
  return null;
}
