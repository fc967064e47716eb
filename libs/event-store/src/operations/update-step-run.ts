import type { StepRunPatch } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import { toStoredText } from '../encoding/stored-text.js';
import type { Session } from '../session.js';
import { Assignments } from './assignments.js';

export async function updateStepRun(
  session: Session,
  projectId: string,
  stepRunId: string,
  patch: StepRunPatch,
): Promise<void> {
  const assignments = stepRunAssignments(session, patch);
  if (assignments.isEmpty) return;
  await session`update step_run set ${assignments.list()} where project_id = ${projectId} and step_run_id = ${stepRunId}`;
}

function stepRunAssignments(session: Session, patch: StepRunPatch): Assignments {
  const assignments = new Assignments(session);
  const clear = (columns: readonly string[]): void => {
    for (const column of columns) assignments.set(column, null);
  };
  if (patch.reopened === true) {
    // Whoever reopens it has looked at why it took its workers down.
    clear(['ended_at', 'error', 'output', 'stall_position']);
    assignments.set('stalls', 0);
  }
  if (patch.ended === true) {
    assignments.setTo('ended_at', session`clock_timestamp()`);
    clear(['lease_until', 'worker_id', 'waiting_key', 'waiting_since', 'due_at']);
  }
  if (patch.status === 'waiting') {
    clear(['lease_until', 'worker_id', 'waiting_key']);
    assignments.setTo('waiting_since', session`clock_timestamp()`);
  }
  if (patch.requeue === true) {
    clear(['dispatched_at', 'lease_until', 'worker_id', 'reason', 'due_at', 'waiting_key', 'waiting_since']);
    assignments.set('status', 'queued');
    assignments.setTo('dispatch_no', session`dispatch_no + 1`);
    assignments.setTo('queued_at', session`clock_timestamp()`);
  }
  setPlainColumns(assignments, patch);
  if (patch.attempt !== undefined)
    assignments.setTo('timeout_at', session`case when attempt < ${patch.attempt} then null else timeout_at end`);
  if (patch.moreToolCalls !== undefined) assignments.setTo('tool_calls', session`tool_calls + ${patch.moreToolCalls}`);
  if (patch.beganMsAgo !== undefined) setBegan(assignments, session, patch.beganMsAgo);
  if (patch.clockStopped === true) clear(['timeout_at']);
  if (patch.dueInMs === null) clear(['due_at']);
  else if (patch.dueInMs !== undefined)
    assignments.setTo('due_at', session`now() + ${patch.dueInMs}::float8 * interval '1 millisecond'`);
  return assignments;
}

function setBegan(assignments: Assignments, session: Session, msAgo: number): void {
  const began = session`clock_timestamp() - ${msAgo}::float8 * interval '1 millisecond'`;
  assignments.set('fence', 1);
  assignments.setTo('starts', session`starts + 1`);
  assignments.setTo('started_at', session`coalesce(started_at, ${began})`);
}

function setPlainColumns(assignments: Assignments, patch: StepRunPatch): void {
  assignments.set('status', patch.status);
  assignments.set('reason', patch.reason);
  assignments.set('attempt', patch.attempt);
  assignments.set('releases', patch.releases);
  assignments.set('stalls', patch.stalls);
  assignments.set('stall_position', patch.stallPosition);
  assignments.set('cutoff_seq', patch.cutoffSeq);
  assignments.set('memory_seq', patch.memorySeq);
  assignments.set('manifest', patch.manifest);
  if (patch.waitingKey !== undefined)
    assignments.set('waiting_key', patch.waitingKey === null ? null : toStoredText(patch.waitingKey));
  if (patch.output !== undefined) assignments.setJson('output', toStoredJson(patch.output));
  if (patch.error !== undefined) assignments.setJson('error', toStoredJson(patch.error));
}
