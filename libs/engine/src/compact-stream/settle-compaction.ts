import { checkCompactionRange } from '#libs/context';
import type { EventInput, EventType, NewEvent, StoredEvent } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { newEvent } from '../new-event.js';
import type { CompactionPatch, CompactionRecord } from '../ports/compaction-store.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { digestOf, viewOf, type CompactionSource } from './read-source.js';
import type { Spent, Summarised } from './summarise.js';
import { wakeWaiters } from './wake-waiters.js';

/** Attempts at one compaction before `CompactionFailed`. */
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 2_000;

type Settling = {
  record: CompactionRecord;
  source: CompactionSource;
  result: Exclude<Summarised, { kind: 'stopped' }>;
};
type End = { event: NewEvent; patch: CompactionPatch };

/**
 * Ends a claimed compaction: exactly one of the four events, or another attempt. The range is checked again under the
 * stream's lock, so what happened meanwhile is seen. Steps that wait for it are woken after the commit.
 */
export async function settleCompaction(deps: EngineDeps, settling: Settling): Promise<void> {
  const { record } = settling;
  const ended = await deps.runs.transact(async (tx) => {
    const locked = await tx.lockCompaction(record.projectId, record.compactionId);
    if (locked === null || locked.fence !== record.fence || locked.status !== 'running') return false;
    await tx.lockStreams(record.projectId, [record.streamId]);
    return settleIn(deps, tx, { ...settling, record: locked });
  });
  if (ended) await wakeWaiters(deps, record);
}

async function settleIn(deps: EngineDeps, tx: RunTransaction, settling: Settling): Promise<boolean> {
  const { record, result } = settling;
  if (result.kind === 'failed' && result.retryable && record.attempt < MAX_ATTEMPTS) {
    await tx.updateCompaction(record.projectId, record.compactionId, {
      requeue: true,
      attempt: record.attempt + 1,
      dueInMs: RETRY_DELAY_MS * record.attempt,
      attempts: attemptsAfter(deps, record, result),
      usage: usagePatch(result.spent),
    });
    return false;
  }
  const events = await tx.read({ projectId: record.projectId, streamId: record.streamId });
  const end = endOf(deps, settling, events);
  await tx.append([{ projectId: record.projectId, streamId: record.streamId, events: [end.event] }]);
  await tx.updateCompaction(record.projectId, record.compactionId, {
    ...end.patch,
    ended: true,
    attempts: attemptsAfter(deps, record, result),
    usage: usagePatch(result.spent),
  });
  return true;
}

function endOf(deps: EngineDeps, settling: Settling, events: readonly StoredEvent[]): End {
  const { record, result } = settling;
  switch (result.kind) {
    case 'summary':
      return endOfSummary(deps, settling, result, events);
    case 'not_smaller':
      return skipped(deps, record, 'not_smaller', result, result.spent);
    case 'nothing_to_compact':
      return skipped(
        deps,
        record,
        'nothing_to_compact',
        { charsAfter: record.charsBefore ?? 0, bytesSaved: 0 },
        result.spent,
      );
    case 'failed': {
      const data = {
        compaction_id: record.compactionId,
        class: result.class,
        detail: result.detail,
        attempts: record.attempt,
        ...spentData(result.spent),
      };
      return { event: compactionEvent(deps, record, 'CompactionFailed', data), patch: { status: 'failed' } };
    }
  }
}

function endOfSummary(
  deps: EngineDeps,
  { record, source }: Settling,
  result: Extract<Summarised, { kind: 'summary' }>,
  events: readonly StoredEvent[],
): End {
  const view = viewOf(record);
  const fault = checkCompactionRange(events, view, record);
  if (fault !== null) return discarded(deps, record, fault, result.spent);
  if (digestOf(events, view, record.range) !== source.digest) {
    const detail = 'the events of the range are not those that were summarised';
    return discarded(deps, record, { reason: 'digest_differs', detail }, result.spent);
  }
  return applied(deps, record, source.digest, result);
}

function discarded(
  deps: EngineDeps,
  record: CompactionRecord,
  { reason, detail }: Pick<EventInput<'CompactionDiscarded'>, 'reason' | 'detail'>,
  spent: Spent,
): End {
  const data = { compaction_id: record.compactionId, reason, detail, ...spentData(spent) };
  return { event: compactionEvent(deps, record, 'CompactionDiscarded', data), patch: { status: 'discarded' } };
}

function applied(
  deps: EngineDeps,
  record: CompactionRecord,
  sourceDigest: string,
  { summary, charsAfter, bytesSaved, model, extractive, spent }: Extract<Summarised, { kind: 'summary' }>,
): End {
  const charsBefore = record.charsBefore ?? 0;
  const event = compactionEvent(deps, record, 'ContextCompacted', {
    compaction_id: record.compactionId,
    view_run_id: record.viewRunId,
    cutoff_seq: record.cutoffSeq,
    replaces_seq_range: [record.range[0], record.range[1]],
    entries: [record.entries[0], record.entries[1]],
    supersedes: record.supersedes,
    summary,
    chars_before: charsBefore,
    chars_after: charsAfter,
    bytes_saved: bytesSaved,
    source_digest: sourceDigest,
    model,
    extractive,
    policy_hash: record.policyHash,
    ...spentData(spent),
  });
  const patch = {
    status: 'compacted',
    live: true,
    charsAfter,
    bytesSaved,
    summary,
    summarizerModel: model,
    extractive,
    sourceDigest,
  } as const;
  return { event, patch };
}

function skipped(
  deps: EngineDeps,
  record: CompactionRecord,
  reason: EventInput<'CompactionSkipped'>['reason'],
  { charsAfter, bytesSaved }: { charsAfter: number; bytesSaved: number },
  spent: Spent,
): End {
  const data = {
    compaction_id: record.compactionId,
    reason,
    bytes_saved: bytesSaved,
    chars_before: record.charsBefore ?? 0,
    chars_after: charsAfter,
    ...spentData(spent),
  };
  const event = compactionEvent(deps, record, 'CompactionSkipped', data);
  return { event, patch: { status: 'skipped', charsAfter, bytesSaved } };
}

const spentData = (spent: Spent) => ({ usage: spent.usage, cost_usd: spent.costUsd });

function usagePatch({ usage, costUsd, modelCalls }: Spent): NonNullable<CompactionPatch['usage']> {
  return {
    inputTokens: usage?.input_tokens ?? 0,
    cachedTokens: usage?.cached_tokens ?? 0,
    outputTokens: usage?.output_tokens ?? 0,
    costUsd,
    modelCalls,
  };
}

function attemptsAfter(
  deps: EngineDeps,
  record: CompactionRecord,
  result: Settling['result'],
): CompactionRecord['attempts'] {
  const error = result.kind === 'failed' ? `${result.class}: ${result.detail}` : null;
  const now = deps.now().toISOString();
  return [
    ...record.attempts,
    {
      n: record.attempt,
      started_at: record.attempts.at(-1)?.ended_at ?? record.requestedAt,
      ended_at: now,
      outcome: result.kind,
      error,
    },
  ];
}

function compactionEvent<T extends EventType>(
  deps: EngineDeps,
  record: CompactionRecord,
  type: T,
  data: EventInput<T>,
): NewEvent {
  const subject = {
    runId: record.runId,
    stepId: record.stepId,
    item: record.item,
    round: 0,
    streamId: record.streamId,
  };
  return newEvent(deps.redact, subject, type, [record.compactionId], data);
}
