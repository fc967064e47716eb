import type { RunPatch } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import { toStoredText } from '../encoding/stored-text.js';
import type { Session } from '../session.js';
import { Assignments } from './assignments.js';

export async function updateRun(session: Session, projectId: string, runId: string, patch: RunPatch): Promise<void> {
  const assignments = runAssignments(session, patch);
  if (assignments.isEmpty) return;
  await session`update run set ${assignments.list()} where project_id = ${projectId} and run_id = ${runId}`;
  if (patch.priority !== undefined)
    await session`
      update step_run set priority = ${patch.priority} where project_id = ${projectId} and run_id = ${runId} and in_outbox`;
}

function runAssignments(session: Session, patch: RunPatch): Assignments {
  const assignments = new Assignments(session);
  if (patch.restarted === true) {
    for (const column of [
      'ended_at',
      'error',
      'output',
      'cancel_requested_at',
      'cancel_reason',
      'timeout_at',
      'paused_at',
    ])
      assignments.set(column, null);
    assignments.setTo('generation', session`generation + 1`);
  }
  assignments.set('status', patch.status);
  assignments.set('status_reason', patch.statusReason);
  assignments.set('pipeline_version', patch.pipelineVersion);
  if (patch.output !== undefined) assignments.setJson('output', toStoredJson(patch.output));
  if (patch.error !== undefined) assignments.setJson('error', toStoredJson(patch.error));
  if (patch.cancelReason !== undefined)
    assignments.set('cancel_reason', patch.cancelReason === null ? null : toStoredText(patch.cancelReason));
  if (patch.tags !== undefined) assignments.setTo('tags', session`${patch.tags.map(toStoredText)}::text[]`);
  if (patch.metadata !== undefined) assignments.setJson('metadata', toStoredJson(patch.metadata));
  assignments.set('priority', patch.priority);
  if (patch.spendLimit !== undefined) assignments.setJson('spend_limit', toStoredJson(patch.spendLimit));
  if (patch.paused === true) assignments.setTo('paused_at', session`coalesce(paused_at, clock_timestamp())`);
  if (patch.paused === false) assignments.set('paused_at', null);
  if (patch.started === true) {
    assignments.setTo('started_at', session`coalesce(started_at, clock_timestamp())`);
    // `least` ignores nulls: without a deadline or without a time-out the other one holds.
    assignments.setTo(
      'timeout_at',
      session`least(deadline_at, coalesce(started_at, clock_timestamp()) + timeout_ms * interval '1 millisecond')`,
    );
  }
  if (patch.cancelRequested === true)
    assignments.setTo('cancel_requested_at', session`coalesce(cancel_requested_at, clock_timestamp())`);
  if (patch.ended === true) assignments.setTo('ended_at', session`clock_timestamp()`);
  return assignments;
}
