import type { AnnouncedEvent } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import type { Hold, RunChange, RunChanges } from '../flight/run-changes.js';
import type { Session } from '../session.js';
import { insertRuns } from './insert-run.js';
import { insertStepRuns } from './insert-step-runs.js';
import { recordFlight } from './record-flight.js';
import { insertItems } from './step-items.js';
import { announce } from './webhook-deliveries.js';

/**
 * Writes what works have gathered, for all runs at once. The statements are sent one behind the other, without waiting; rows
 * are locked already, streams last.
 */
export async function writeRunChanges(session: Session, changes: readonly RunChanges[]): Promise<void> {
  const all = merged(changes);
  await Promise.all([
    insertRuns(session, all.newRuns),
    succeedSteps(session, all.succeeded),
    insertStepRuns(session, all.newSteps),
    ...all.newItems.map((loop) => insertItems(session, loop, loop.values, loop.running)),
    endItems(session, all.endedItems),
    changeRuns(session, all.changedRuns),
    holdStreams(session, all.taken),
    releaseStreams(session, all.released),
    recordFlight(session, all.units),
    announceAll(session, all.announced),
  ]);
}

function merged(changes: readonly RunChanges[]) {
  return {
    newRuns: changes.flatMap(({ newRun, run }) => (newRun === null ? [] : [{ ...newRun, isStarted: isStart(run) }])),
    changedRuns: changes.flatMap(({ newRun, run }) => (run === null || (newRun !== null && isStart(run)) ? [] : [run])),
    succeeded: changes.flatMap((one) => one.succeeded),
    newSteps: changes.flatMap((one) => one.newSteps),
    newItems: changes.flatMap((one) => one.newItems),
    endedItems: changes.flatMap((one) => one.endedItems),
    taken: changes.flatMap((one) => one.taken),
    released: changes.flatMap((one) => one.released),
    units: changes.flatMap((one) => one.units),
    announced: changes.flatMap((one) => one.announced),
  };
}

/** What an insert can write at once with the row. */
const isStart = (run: RunChange | null): boolean => run?.status === 'running' && run.started && !run.ended;

/**
 * Rows for a statement over many: `one` is 1 in each. A condition on it makes the planner expect a single row, so that it looks
 * the others up by their keys; plans are made once per connection, mostly while the tables are small, and hashing a whole table
 * is cheap that day only.
 */
const rowsOf = (rows: readonly { [column: string]: unknown }[]): string =>
  toStoredJson(rows.map((row) => ({ one: 1, ...row }))) ?? '[]';

async function succeedSteps(session: Session, steps: RunChanges['succeeded']): Promise<void> {
  if (steps.length === 0) return;
  const rows = steps.map(({ projectId, stepRunId, output, moreToolCalls }) => ({
    ...{ project_id: projectId, step_run_id: stepRunId, output, more_tool_calls: moreToolCalls },
  }));
  await session`
    update step_run t set status = 'succeeded', reason = null, output = u.output, error = null, ended_at = clock_timestamp(),
      lease_until = null, worker_id = null, waiting_key = null, waiting_since = null, due_at = null,
      tool_calls = t.tool_calls + u.more_tool_calls
    from jsonb_to_recordset((${rowsOf(rows)}::text)::jsonb) as u(one integer, project_id text, step_run_id text, output jsonb, more_tool_calls integer)
    where u.one = 1 and t.project_id = u.project_id and t.step_run_id = u.step_run_id`;
}

async function endItems(session: Session, items: RunChanges['endedItems']): Promise<void> {
  if (items.length === 0) return;
  const rows = items.map(({ projectId, stepRunId, ...item }) => ({
    ...{ project_id: projectId, step_run_id: stepRunId },
    ...item,
  }));
  await session`
    update step_item t set status = u.status, ended_at = clock_timestamp(), output = u.output, error = u.error
    from jsonb_to_recordset((${rowsOf(rows)}::text)::jsonb) as u(
      one integer, project_id text, step_run_id text, item integer, status text, output jsonb, error jsonb)
    where u.one = 1 and t.project_id = u.project_id and t.step_run_id = u.step_run_id and t.item = u.item`;
}

async function changeRuns(session: Session, runs: readonly RunChange[]): Promise<void> {
  if (runs.length === 0) return;
  const rows = runs.map(({ projectId, runId, statusReason, ...run }) => ({
    ...{ project_id: projectId, run_id: runId, status_reason: statusReason },
    ...{ ...run, sets_output: run.output !== undefined, sets_error: run.error !== undefined },
  }));
  await session`
    update run t set status = u.status, status_reason = u.status_reason,
      output = case when u.sets_output then u.output else t.output end,
      error = case when u.sets_error then u.error else t.error end,
      started_at = case when u.started then coalesce(t.started_at, clock_timestamp()) else t.started_at end,
      timeout_at = case when u.started
        then least(t.deadline_at, coalesce(t.started_at, clock_timestamp()) + t.timeout_ms * interval '1 millisecond') else t.timeout_at end,
      ended_at = case when u.ended then clock_timestamp() else t.ended_at end
    from jsonb_to_recordset((${rowsOf(rows)}::text)::jsonb) as u(
      one integer, project_id text, run_id text, status text, status_reason text, started boolean, ended boolean,
      sets_output boolean, sets_error boolean, output jsonb, error jsonb)
    where u.one = 1 and t.project_id = u.project_id and t.run_id = u.run_id`;
}

const holdRows = (holds: readonly Hold[]): string =>
  rowsOf(
    holds.map(({ projectId, streamId, runId }) => ({ project_id: projectId, stream_id: streamId, run_id: runId })),
  );

/** Of runs that were made here on streams of their own names; alone or not is what the run says. */
async function holdStreams(session: Session, holds: readonly Hold[]): Promise<void> {
  if (holds.length === 0) return;
  await session`
    insert into stream_hold (project_id, stream_id, run_id, mode)
    select h.project_id, h.stream_id, h.run_id, case when r.exclusive then 'exclusive' else 'shared' end
    from jsonb_to_recordset((${holdRows(holds)}::text)::jsonb) as h(one integer, project_id text, stream_id text, run_id text)
    join run r on r.project_id = h.project_id and r.run_id = h.run_id
    where h.one = 1`;
}

async function releaseStreams(session: Session, holds: readonly Hold[]): Promise<void> {
  if (holds.length === 0) return;
  await session`
    delete from stream_hold t
    using jsonb_to_recordset((${holdRows(holds)}::text)::jsonb) as h(one integer, project_id text, stream_id text, run_id text)
    where h.one = 1 and t.project_id = h.project_id and t.stream_id = h.stream_id and t.run_id = h.run_id`;
}

async function announceAll(session: Session, announced: RunChanges['announced']): Promise<void> {
  const byProject = new Map<string, { events: AnnouncedEvent[]; newId: () => string }>();
  for (const { projectId, events, newId } of announced) {
    const ofProject = byProject.get(projectId) ?? { events: [], newId };
    ofProject.events.push(...events);
    byProject.set(projectId, ofProject);
  }
  await Promise.all(
    [...byProject].map(([projectId, { events, newId }]) => announce(session, projectId, events, newId)),
  );
}
