import { compactionState } from '#libs/context';
import type { EngineDeps } from '../engine-deps.js';
import { newEvent } from '../new-event.js';
import type { CompactionRecord, CompactionStatus } from '../ports/compaction-store.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { COMPACTION_EVENTS, viewOf } from './read-source.js';
import { subjectOf } from './settle-compaction.js';

export type RollBackResult =
  /** `restores`: the superseded compaction that is shown again; null: the raw events are. */
  | { status: 'rolled_back'; compactionId: string; restores: string | null }
  | { status: 'not_found' }
  | { status: 'not_applied'; compactionStatus: CompactionStatus }
  /** Another one was built on it: that one first. */
  | { status: 'not_live'; live: string | null };

/**
 * Takes the summary that a view shows away again: the next build shows what it stood for, or the summary before. Its
 * digest is barred, so the same range is not summarised in the same way again. Steps that are at work see it at their next
 * build; calls before it rebuild as they were.
 */
export async function rollBackCompaction(
  deps: Pick<EngineDeps, 'runs' | 'redact' | 'logger'>,
  { projectId, compactionId }: { projectId: string; compactionId: string },
): Promise<RollBackResult> {
  const result = await deps.runs.transact(async (tx) => {
    const record = await tx.lockCompaction(projectId, compactionId);
    return record === null ? ({ status: 'not_found' } as const) : rollBackIn(deps, tx, record);
  });
  if (result.status === 'rolled_back')
    deps.logger.info({ compaction_id: compactionId, restores: result.restores }, 'compaction rolled back');
  return result;
}

async function rollBackIn(
  deps: Pick<EngineDeps, 'redact'>,
  tx: RunTransaction,
  record: CompactionRecord,
): Promise<RollBackResult> {
  const { projectId, compactionId, streamId } = record;
  if (record.status !== 'compacted') return { status: 'not_applied', compactionStatus: record.status };
  await tx.lockStreams(projectId, [streamId]);
  const events = await tx.read({ projectId, streamId, types: COMPACTION_EVENTS });
  const { applied } = compactionState(events, viewOf(record));
  if (applied.at(-1)?.id !== compactionId) return { status: 'not_live', live: applied.at(-1)?.id ?? null };
  const restores = applied.at(-2)?.id ?? null;
  const event = newEvent(deps.redact, subjectOf(record), 'CompactionRolledBack', [compactionId], {
    compaction_id: compactionId,
    restores,
    source_digest: record.sourceDigest ?? '',
  });
  await tx.append([{ projectId, streamId, events: [event] }]);
  await tx.updateCompaction(projectId, compactionId, { status: 'rolled_back', live: false });
  if (restores !== null) await tx.updateCompaction(projectId, restores, { live: true });
  return { status: 'rolled_back', compactionId, restores };
}
