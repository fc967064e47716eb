import { checkCompactionRange, compactionState } from '#libs/context';
import { dispatchCompactions } from '../dispatch/relay-compactions.js';
import type { EngineDeps } from '../engine-deps.js';
import { newEvent } from '../new-event.js';
import type { CompactionRecord, CompactionStatus, NewCompaction } from '../ports/compaction-store.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { digestOf, viewOf } from './read-source.js';
import { subjectOf } from './settle-compaction.js';

export type RetryCompactionResult =
  /** A request of its own: each ends once. */
  | { status: 'requested'; compactionId: string }
  | { status: 'not_found' }
  | { status: 'not_retryable'; compactionStatus: CompactionStatus }
  | { status: 'already_open'; compactionId: string }
  /** The view has changed so that the range does not fit any more. */
  | { status: 'range_refused'; detail: string };

type RetryDeps = Pick<EngineDeps, 'runs' | 'redact' | 'newId' | 'compactions' | 'queue' | 'logger'>;

/** Asks again for the range of a compaction that was not applied, on top of what the view shows now. */
export async function retryCompaction(
  deps: RetryDeps,
  { projectId, compactionId }: { projectId: string; compactionId: string },
): Promise<RetryCompactionResult> {
  const result = await deps.runs.transact(async (tx) => {
    const record = await tx.lockCompaction(projectId, compactionId);
    return record === null ? ({ status: 'not_found' } as const) : retryIn(deps, tx, record);
  });
  if (result.status === 'requested') await dispatchCompactions(deps, projectId, [result.compactionId]);
  return result;
}

async function retryIn(deps: RetryDeps, tx: RunTransaction, record: CompactionRecord): Promise<RetryCompactionResult> {
  if (!isRetryable(record.status)) return { status: 'not_retryable', compactionStatus: record.status };
  const { projectId, streamId, viewRunId } = record;
  const open = await tx.openCompaction(projectId, streamId, viewRunId);
  if (open !== null) return { status: 'already_open', compactionId: open };
  const compactionId = deps.newId('cmp');
  const versions = await tx.lockStreams(projectId, [streamId]);
  const events = await tx.read({ projectId, streamId, uptoSeq: versions.get(streamId)?.version ?? 0 });
  const view = viewOf(record);
  const { live, barredDigests } = compactionState(events, view);
  const supersedes = live?.id ?? null;
  const fault = checkCompactionRange(events, view, { range: record.range, supersedes });
  if (fault !== null) return { status: 'range_refused', detail: fault.detail };
  if (live !== null && live.range[1] === record.range[1])
    return { status: 'range_refused', detail: `compaction ${live.id} covers this range` };
  if (barredDigests.includes(digestOf(events, view, record.range)))
    return { status: 'range_refused', detail: 'the summary of exactly these events was rolled back' };
  return (await askAgain(deps, tx, { ...record, compactionId, supersedes, reason: 'retry' }))
    ? { status: 'requested', compactionId }
    : { status: 'range_refused', detail: 'another compaction of the view was requested at the same time' };
}

function isRetryable(status: CompactionStatus): boolean {
  switch (status) {
    case 'failed':
    case 'skipped':
    case 'discarded':
      return true;
    case 'requested':
    case 'running':
    case 'compacted':
    case 'rolled_back':
      return false;
  }
}

/** The row and its event, without a step behind them. False: the view has an open one. Lock the stream first. */
export async function askAgain(
  deps: Pick<EngineDeps, 'redact'>,
  tx: RunTransaction,
  request: Omit<NewCompaction, 'status'>,
): Promise<boolean> {
  const { projectId, streamId, compactionId } = request;
  // Whatever row the request was made from, this one is open.
  if (!(await tx.insertCompaction({ ...request, status: undefined }))) return false;
  const event = newEvent(deps.redact, subjectOf(request), 'CompactionRequested', [compactionId], {
    compaction_id: compactionId,
    view_run_id: request.viewRunId,
    cutoff_seq: request.cutoffSeq,
    range: [...request.range],
    entries: [...request.entries],
    supersedes: request.supersedes,
    reason: request.reason,
    policy_hash: request.policyHash,
    manifest: request.manifest,
    max_summary_chars: request.maxSummaryChars,
  });
  await tx.append([{ projectId, streamId, events: [event] }]);
  return true;
}
