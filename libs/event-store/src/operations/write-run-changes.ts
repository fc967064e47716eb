import type { AnnouncedEvent, NewRun, NewStepRun } from '#libs/engine';
import { flightParameters, placedUnit, type FlightParameters } from '../append/flight-parameters.js';
import { toStoredJson } from '../encoding/stored-json.js';
import { toStoredText } from '../encoding/stored-text.js';
import { oneUnitOfEachStream } from '../flight/one-unit-of-each-stream.js';
import type { ExpectedRun, RunChange, RunChanges } from '../flight/run-changes.js';
import type { Session } from '../session.js';
import { announce } from './webhook-deliveries.js';

/**
 * What came of it. `stale`: runs that are not as they were expected any more; nothing was written then. `at`: the database's clock.
 * `version`: of all rows that were written.
 */
export type Written = { stale: readonly string[] | null; at: string; version: number };

/**
 * Writes what works have gathered, for all runs at once, in the transaction of the caller, who holds the locks of the runs. Fails
 * with 23505 on `event_by_id` when one of the events is stored already.
 */
export async function writeRunChanges(session: Session, changes: readonly RunChanges[]): Promise<void> {
  const announced = changes.flatMap((one) => one.announced);
  const parts = partsOf(changes);
  await Promise.all([
    ...(hasParts(parts) ? [writeRuns(session, parts)] : []),
    ...(announced.length === 0 ? [] : [announceAll(session, announced)]),
  ]);
}

/**
 * The same for works that hold no lock: in a statement, and transaction, of its own, which locks the runs and writes only if all
 * of them are as expected.
 */
export function writeExpected(
  session: Session,
  changes: readonly RunChanges[],
  expected: readonly ExpectedRun[],
): Promise<Written> {
  const announced = changes.flatMap((one) => one.announced);
  const parts = partsOf(changes);
  parts['expected'] = expected.map(expectedRow);
  if (announced.length > 0) parts['announced'] = announced.flatMap(announcedRows);
  return writeRuns(session, parts);
}

/** The parts of `write_runs` (migration 0013), those that are empty left out. */
type Parts = { [part: string]: readonly Row[] | FlightParameters | undefined; flight?: FlightParameters };
type Row = Record<string, unknown>;

const hasParts = (parts: Parts): boolean => Object.keys(parts).length > 0;

async function writeRuns(session: Session, { flight, ...parts }: Parts): Promise<Written> {
  const rows = Object.entries(parts).map(([part, of]) => `"${part}":${toStoredJson(of) ?? '[]'}`);
  const texts = flight === undefined ? [] : [`"units":${flight.units}`, ...bodiesPart(flight)];
  const [written] = await session<Written[]>`
    select stale, wrote_at as at, version from write_runs((${`{${[...rows, ...texts].join(',')}}`}::text)::jsonb, (${flight?.events ?? '[]'}::text)::json)`;
  if (written === undefined) throw new Error('write_runs came back without a row');
  return written;
}

function partsOf(changes: readonly RunChanges[]): Parts {
  const newRuns: Row[] = [];
  const changedRuns: Row[] = [];
  for (const { newRun, run } of changes) {
    if (newRun !== null) newRuns.push(newRunRow(newRun, isStart(run)));
    if (run !== null && (newRun === null || !isStart(run))) changedRuns.push(changedRunRow(run));
  }
  const parts: Parts = {};
  const add = (part: string, rows: readonly Row[]): void => {
    if (rows.length > 0) parts[part] = rows;
  };
  add('new_runs', newRuns);
  add('succeeded', changes.flatMap((one) => one.succeeded).map(succeededRow));
  add('new_steps', changes.flatMap((one) => one.newSteps).map(newStepRow));
  add('new_items', changes.flatMap((one) => one.newItems).map(newItemsRow));
  add('started_items', changes.flatMap((one) => one.startedItems).map(startedItemRow));
  add('ended_items', changes.flatMap((one) => one.endedItems).map(endedItemRow));
  add('changed_runs', changedRuns);
  add('taken', changes.flatMap((one) => one.taken).map(holdRow));
  add('released', changes.flatMap((one) => one.released).map(holdRow));
  const units = changes.flatMap((one) => one.units);
  if (units.length > 0) parts.flight = flightParameters(oneUnitOfEachStream(units), placedUnit);
  return parts;
}

function bodiesPart({ bodies }: FlightParameters): string[] {
  if (bodies.length === 0) return [];
  const rows = bodies.map(
    ({ projectId, hash, bytes, json }) =>
      `{"project_id":${JSON.stringify(projectId)},"hash":${JSON.stringify(hash)},"bytes":${bytes},"body":${json}}`,
  );
  return [`"bodies":[${rows.join(',')}]`];
}

/** What an insert can write at once with the row. */
const isStart = (run: RunChange | null): boolean => run?.status === 'running' && run.started && !run.ended;

const newRunRow = (run: NewRun & { createdAt: string | null }, isStarted: boolean): Row => ({
  project_id: run.projectId,
  run_id: run.runId,
  pipeline: run.pipeline,
  pipeline_version: run.pipelineVersion,
  stream_id: run.streamId,
  status_reason: run.statusReason,
  is_started: isStarted,
  inputs: run.inputs,
  tags: run.tags,
  metadata: run.metadata,
  priority: run.priority,
  on_busy: run.onBusy,
  exclusive: run.exclusive,
  deadline_at: run.deadlineAt,
  timeout_ms: run.timeoutMs,
  ancestors: run.ancestors,
  parent_step_run_id: run.parentStepRunId,
  spend_limit: run.spendLimit,
  concurrency_key: run.concurrency?.key,
  concurrency_limit: run.concurrency?.limit,
  delay_ms: run.delayMs,
  created_at: run.createdAt,
  traceparent: run.traceparent,
});

const succeededRow = (step: RunChanges['succeeded'][number]): Row => ({
  one: 1,
  project_id: step.projectId,
  step_run_id: step.stepRunId,
  output: step.output,
  more_tool_calls: step.moreToolCalls,
  began_ms_ago: step.beganMsAgo ?? undefined,
});

const newStepRow = (step: NewStepRun & { projectId: string; lane: string | null }): Row => ({
  project_id: step.projectId,
  step_run_id: step.stepRunId,
  run_id: step.runId,
  step_id: step.stepId,
  item: step.item ?? undefined,
  round: step.round,
  kind: step.kind,
  status: step.status,
  priority: step.priority,
  timeout_ms: step.timeoutMs ?? undefined,
  reason: step.reason,
  waiting_key: step.waitingKey == null ? undefined : toStoredText(step.waitingKey),
  is_dispatched: step.isDispatched,
  lane: step.lane ?? undefined,
  worker_id: step.lease?.workerId,
  worker_bytes: step.lease?.workerBytes,
  lease_ms: step.lease?.leaseMs,
});

const newItemsRow = (items: RunChanges['newItems'][number]): Row => ({
  project_id: items.projectId,
  step_run_id: items.stepRunId,
  running: items.running,
  items: items.values,
});

const startedItemRow = ({ projectId, stepRunId, item }: RunChanges['startedItems'][number]): Row => ({
  one: 1,
  project_id: projectId,
  step_run_id: stepRunId,
  item,
});

const endedItemRow = (ended: RunChanges['endedItems'][number]): Row => ({
  one: 1,
  project_id: ended.projectId,
  step_run_id: ended.stepRunId,
  item: ended.item,
  status: ended.status,
  output: ended.output,
  error: ended.error,
});

const changedRunRow = (run: RunChange): Row => ({
  one: 1,
  project_id: run.projectId,
  run_id: run.runId,
  status: run.status,
  status_reason: run.statusReason,
  started: run.started,
  ended: run.ended,
  output: run.output,
  error: run.error,
  sets_output: run.output !== undefined,
  sets_error: run.error !== undefined,
});

const holdRow = ({ projectId, streamId, runId, exclusive }: RunChanges['taken'][number]): Row => ({
  one: 1,
  project_id: projectId,
  stream_id: streamId,
  run_id: runId,
  exclusive,
});

const expectedRow = (expected: ExpectedRun): Row => ({
  one: 1,
  project_id: expected.projectId,
  step_run_id: expected.stepRunId,
  run_id: expected.runId,
  fence: expected.fence,
  status: expected.status,
  dispatch_no: expected.dispatchNo,
  run_version: expected.versions.run,
  others: expected.versions.others,
  others_version: expected.versions.othersSum,
});

const announcedRows = ({ projectId, events }: RunChanges['announced'][number]): Row[] =>
  events.map(({ type, runId }) => ({ one: 1, project_id: projectId, run_id: runId, type }));

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
