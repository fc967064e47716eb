import { checkCompactionRange, compactionState } from '#libs/context';
import type { EventInput } from '#libs/domain';
import type { CompactionRecord } from '../ports/compaction-store.port.js';
import { digestOf, viewOf, type RangeEvents } from './read-source.js';
import type { FailedModel, Settled } from './summarise.js';
import type { Spent } from './spent.js';

/** What the end of a compaction depends on of its row. */
export type CompactionTask = Pick<
  CompactionRecord,
  | 'compactionId'
  | 'viewRunId'
  | 'cutoffSeq'
  | 'range'
  | 'entries'
  | 'supersedes'
  | 'policyHash'
  | 'maxSummaryChars'
  | 'charsBefore'
  | 'attempt'
>;

type Ended<T extends 'ContextCompacted' | 'CompactionSkipped' | 'CompactionDiscarded' | 'CompactionFailed'> = {
  type: T;
  data: EventInput<T>;
};

/** Exactly one of the four events that end a request. */
export type CompactionEnd =
  Ended<'ContextCompacted'> | Ended<'CompactionSkipped'> | Ended<'CompactionDiscarded'> | Ended<'CompactionFailed'>;

/**
 * How a summarised compaction ends. Pure: `now` is what stands in the sub-stream now, so what happened since the summary was
 * asked for is seen.
 */
export function compactionEnd(task: CompactionTask, result: Settled, now: RangeEvents): CompactionEnd {
  switch (result.kind) {
    case 'summary':
      return endOfSummary(task, result, now);
    case 'not_smaller':
      return skipped(task, 'not_smaller', result, result);
    case 'nothing_to_compact':
      return skipped(task, 'nothing_to_compact', { charsAfter: task.charsBefore ?? 0, bytesSaved: 0 }, result);
    case 'not_profitable':
      return unprofitable(task, result);
    case 'barred':
      return discarded(task, 'rolled_back', result.detail, result);
    case 'failed':
      return {
        type: 'CompactionFailed',
        data: {
          compaction_id: task.compactionId,
          class: result.class,
          detail: result.detail,
          attempts: task.attempt,
          ...spentData(result),
        },
      };
  }
}

function endOfSummary(
  task: CompactionTask,
  result: Extract<Settled, { kind: 'summary' }>,
  { events, digests }: RangeEvents,
): CompactionEnd {
  const view = viewOf(task);
  const { sourceDigest } = result;
  const { barredDigests, rolledBack } = compactionState(events, view);
  if (barredDigests.includes(sourceDigest) || (task.supersedes !== null && rolledBack.includes(task.supersedes)))
    return discarded(task, 'rolled_back', 'what it covers or goes on from was rolled back meanwhile', result);
  const fault = checkCompactionRange(events, view, task);
  if (fault !== null) return discarded(task, fault.reason, fault.detail, result);
  if (digestOf(digests, view, task.range) !== sourceDigest)
    return discarded(task, 'digest_differs', 'the events of the range are not those that were summarised', result);
  const { summary, charsAfter, bytesSaved, model, extractive } = result;
  return {
    type: 'ContextCompacted',
    data: {
      compaction_id: task.compactionId,
      view_run_id: task.viewRunId,
      cutoff_seq: task.cutoffSeq,
      replaces_seq_range: [task.range[0], task.range[1]],
      entries: [task.entries[0], task.entries[1]],
      supersedes: task.supersedes,
      summary,
      chars_before: task.charsBefore ?? 0,
      chars_after: charsAfter,
      bytes_saved: bytesSaved,
      source_digest: sourceDigest,
      model,
      extractive,
      policy_hash: task.policyHash,
      ...spentData(result),
    },
  };
}

function discarded(
  task: CompactionTask,
  reason: EventInput<'CompactionDiscarded'>['reason'],
  detail: string,
  tried: Tried,
): CompactionEnd {
  return {
    type: 'CompactionDiscarded',
    data: { compaction_id: task.compactionId, reason, detail, ...spentData(tried) },
  };
}

function unprofitable(task: CompactionTask, result: Extract<Settled, { kind: 'not_profitable' }>): CompactionEnd {
  const { costUsd, savedUsdPerCall, expectedCalls } = result.estimate;
  const estimate = { cost_usd: costUsd, saved_usd_per_call: savedUsdPerCall, expected_calls: expectedCalls };
  const end = skipped(task, 'not_profitable', result, result);
  return { type: end.type, data: { ...end.data, estimate } };
}

function skipped(
  task: CompactionTask,
  reason: EventInput<'CompactionSkipped'>['reason'],
  { charsAfter, bytesSaved }: { charsAfter: number; bytesSaved: number },
  tried: Tried,
): Ended<'CompactionSkipped'> {
  return {
    type: 'CompactionSkipped',
    data: {
      compaction_id: task.compactionId,
      reason,
      bytes_saved: bytesSaved,
      chars_before: task.charsBefore ?? 0,
      chars_after: charsAfter,
      ...spentData(tried),
    },
  };
}

type Tried = { spent: Spent; failedModels?: readonly FailedModel[] };

function spentData({ spent, failedModels = [] }: Tried) {
  const failed = failedModels.length === 0 ? {} : { failed_models: failedModels.map((model) => ({ ...model })) };
  return { usage: spent.usage, cost_usd: spent.costUsd, ...failed };
}
