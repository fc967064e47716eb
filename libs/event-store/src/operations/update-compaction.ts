import type { CompactionPatch } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import { toStoredText } from '../encoding/stored-text.js';
import type { Session } from '../session.js';
import { Assignments } from './assignments.js';

export async function updateCompaction(
  session: Session,
  projectId: string,
  compactionId: string,
  patch: CompactionPatch,
): Promise<void> {
  const assignments = compactionAssignments(session, patch);
  if (patch.live === true) await clearLive(session, projectId, compactionId);
  if (assignments.isEmpty) return;
  await session`update compaction set ${assignments.list()} where project_id = ${projectId} and compaction_id = ${compactionId}`;
}

/** A view shows one compaction: the newest live one. */
async function clearLive(session: Session, projectId: string, compactionId: string): Promise<void> {
  await session`
    update compaction other set live = false
    from compaction own
    where own.project_id = ${projectId} and own.compaction_id = ${compactionId} and other.project_id = own.project_id
      and other.stream_id = own.stream_id and other.view_run_id is not distinct from own.view_run_id
      and other.compaction_id <> own.compaction_id and other.live`;
}

function compactionAssignments(session: Session, patch: CompactionPatch): Assignments {
  const assignments = new Assignments(session);
  const clear = (columns: readonly string[]): void => {
    for (const column of columns) assignments.set(column, null);
  };
  if (patch.ended === true) {
    assignments.setTo('ended_at', session`clock_timestamp()`);
    clear(['lease_until', 'worker_id']);
  }
  if (patch.requeue === true) {
    clear(['dispatched_at', 'lease_until', 'worker_id', 'due_at']);
    assignments.set('status', 'requested');
    assignments.setTo('dispatch_no', session`dispatch_no + 1`);
    assignments.setTo('queued_at', session`clock_timestamp()`);
    if (patch.released === true) assignments.setTo('starts', session`starts - 1`);
  }
  setPlainColumns(assignments, patch);
  if (patch.dueInMs === null) clear(['due_at']);
  else if (patch.dueInMs !== undefined)
    assignments.setTo('due_at', session`now() + ${patch.dueInMs}::float8 * interval '1 millisecond'`);
  if (patch.waitedMs !== undefined) {
    assignments.setTo('waits', session`waits + 1`);
    assignments.setTo('waited_ms', session`waited_ms + ${Math.round(patch.waitedMs)}`);
  }
  return assignments;
}

function setPlainColumns(assignments: Assignments, patch: CompactionPatch): void {
  assignments.set('status', patch.status);
  assignments.set('live', patch.live);
  assignments.set('chars_before', patch.charsBefore);
  assignments.set('chars_after', patch.charsAfter);
  assignments.set('bytes_saved', patch.bytesSaved);
  assignments.set('summarizer_model', patch.summarizerModel);
  assignments.set('extractive', patch.extractive);
  assignments.set('models_failed', patch.modelsFailed);
  assignments.set('source_digest', patch.sourceDigest);
  assignments.set('attempt', patch.attempt);
  if (patch.summary !== undefined)
    assignments.set('summary', patch.summary === null ? null : toStoredText(patch.summary));
  if (patch.attempts !== undefined) assignments.setJson('attempts', toStoredJson(patch.attempts));
}
