import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson, type EventType, type JsonObject, type NewEvent } from '#libs/domain';
import type { NewRun, NewStepRun } from '#libs/engine';
import type { Database } from '#libs/event-store';

export const PROJECT = 'default';

/** A project with one pipeline version, which runs refer to. */
export async function seedProject(db: Database, projectId = PROJECT): Promise<void> {
  await db.sql`insert into project (project_id, name) values (${projectId}, ${projectId})`;
  await db.sql`insert into pipeline (project_id, name, latest_version) values (${projectId}, 'demo', 1)`;
  await db.sql`insert into pipeline_version (project_id, name, version, document, content_hash) values (${projectId}, 'demo', 1, '{}', 'hash')`;
}

/** A run with one step run that is running under the given fence. */
export async function seedRunningStep(
  db: Database,
  step: { runId: string; stepRunId: string; streamId?: string; fence?: number },
): Promise<void> {
  await db.sql`
    insert into run (project_id, run_id, pipeline, pipeline_version, stream_id, status, inputs)
    values (${PROJECT}, ${step.runId}, 'demo', 1, ${step.streamId ?? step.runId}, 'running', '{}') on conflict do nothing`;
  await db.sql`
    insert into step_run (project_id, step_run_id, run_id, step_id, kind, status, fence, lease_until)
    values (${PROJECT}, ${step.stepRunId}, ${step.runId}, ${`s_${step.stepRunId}`}, 'agent', 'running', ${step.fence ?? 1}, now() + interval '1 minute')`;
}

export function event(data: JsonObject, overrides: Partial<NewEvent> & { type?: EventType } = {}): NewEvent {
  const { type = 'MemoryWritten', ...rest } = overrides;
  const json = canonicalJson(data);
  return {
    type,
    eventId: randomUUID(),
    schemaVersion: 1,
    data,
    json,
    chars: 0,
    digest: createHash('sha256').update(json).digest('hex'),
    runId: null,
    stepId: null,
    item: null,
    round: 0,
    ...rest,
  };
}

export const userMessage = (text: string, overrides: Partial<NewEvent> = {}): NewEvent =>
  event({ origin: 'user', content: text }, { type: 'UserMessageReceived', chars: text.length, ...overrides });

export const memory = (key: string, value: string, overrides: Partial<NewEvent> = {}): NewEvent =>
  event({ key, value }, overrides);

/** A queued run on a stream of its own, with inputs that Postgres could not hold as they are. */
export const newRun = (overrides: Partial<NewRun> = {}): NewRun => {
  const runId = `run_${randomUUID()}`;
  return {
    projectId: PROJECT,
    runId,
    pipeline: 'demo',
    pipelineVersion: 1,
    streamId: runId,
    inputs: { text: 'a\u0000b\ud800' },
    tags: ['x', 'y'],
    metadata: {},
    priority: 0,
    onBusy: 'enqueue',
    exclusive: true,
    deadlineAt: null,
    timeoutMs: 60_000,
    statusReason: null,
    ancestors: [],
    parentStepRunId: null,
    spendLimit: null,
    concurrency: null,
    delayMs: null,
    ...overrides,
  };
};
/** A queued agent step of the run. */
export const newStep = (runId: string, overrides: Partial<NewStepRun> = {}): NewStepRun => ({
  stepRunId: `srn_${randomUUID()}`,
  runId,
  stepId: `s${randomUUID().slice(0, 8)}`,
  item: null,
  round: 0,
  kind: 'agent',
  attempt: 1,
  status: 'queued',
  priority: 0,
  timeoutMs: null,
  ...overrides,
});
