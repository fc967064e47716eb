import type { NewEvent } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { newEvent } from '../new-event.js';
import type { CompactionPatch, CompactionRecord, NewCompaction } from '../ports/compaction-store.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { compactionEnd, type CompactionEnd } from './compaction-end.js';
import type { CompactionSource } from './read-source.js';
import type { Settled, Spent } from './summarise.js';
import { wakeWaiters } from './wake-waiters.js';

/** Attempts at one compaction before `CompactionFailed`. */
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 2_000;

type Settling = {
  record: CompactionRecord;
  source: CompactionSource;
  result: Settled;
};
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
  const end = compactionEnd(record, settling.source, result, events);
  await tx.append([
    { projectId: record.projectId, streamId: record.streamId, events: [compactionEvent(deps, record, end)] },
  ]);
  await tx.updateCompaction(record.projectId, record.compactionId, {
    ...patchOf(end),
    ended: true,
    attempts: attemptsAfter(deps, record, result),
    usage: usagePatch(result.spent),
  });
  return true;
}

/** The row's columns for an end. */
export function patchOf(end: CompactionEnd): CompactionPatch {
  switch (end.type) {
    case 'ContextCompacted': {
      const { data } = end;
      return {
        status: 'compacted',
        live: true,
        charsAfter: data.chars_after,
        bytesSaved: data.bytes_saved,
        summary: data.summary,
        summarizerModel: data.model,
        extractive: data.extractive,
        sourceDigest: data.source_digest,
      };
    }
    case 'CompactionSkipped':
      return { status: 'skipped', charsAfter: end.data.chars_after, bytesSaved: end.data.bytes_saved };
    case 'CompactionDiscarded':
      return { status: 'discarded' };
    case 'CompactionFailed':
      return { status: 'failed' };
  }
}

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

export function compactionEvent(
  deps: Pick<EngineDeps, 'redact'>,
  record: Pick<NewCompaction, 'runId' | 'stepId' | 'item' | 'streamId' | 'compactionId'>,
  end: CompactionEnd,
): NewEvent {
  const subject = {
    runId: record.runId,
    stepId: record.stepId,
    item: record.item,
    round: 0,
    streamId: record.streamId,
  };
  return newEvent(deps.redact, subject, end.type, [record.compactionId], end.data);
}
