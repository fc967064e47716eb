import { renderRunTemplate, type JsonObject } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import type { ScheduleRecord } from '../ports/trigger-store.port.js';
import { startRunWithin, type StartRun, type StartRunResult, type StartWithin } from '../start-run/start-run.js';
import { toTime } from './check-schedule.js';
import { localDate } from './cron-times.js';

export type StartedTick =
  | { status: 'started'; runId: string }
  | { status: 'not_claimed' }
  /** Nothing was started, and why, as a sentence. */
  | { status: 'refused'; detail: string };

/** Starts what the schedule says for a tick, in one transaction with `within`. */
export async function startTick(
  deps: EngineDeps,
  schedule: ScheduleRecord,
  atMs: number,
  within: StartWithin,
): Promise<StartedTick> {
  const rendered = renderRunTemplate(schedule.start, variablesOf(schedule, atMs), deps.expressions);
  if (!rendered.ok) return { status: 'refused', detail: rendered.detail };
  const { pipeline, version, inputs, stream_id, tags, metadata, priority } = rendered.run;
  const command: StartRun = {
    ...{ projectId: schedule.projectId, pipeline, version, inputs, streamId: stream_id, tags, priority },
    metadata: { ...metadata, schedule: { name: schedule.name, tick_at: toTime(atMs) } },
    deadlineAt: null,
    idempotencyKey: null,
  };
  const result = await startRunWithin(deps, command, within);
  if (result.status === 'not_claimed') return result;
  return startedOr(result, pipeline);
}

function startedOr(result: StartRunResult, pipeline: string): StartedTick {
  switch (result.status) {
    case 'started':
    case 'replayed':
      return { status: 'started', runId: result.runId };
    case 'pipeline_not_found':
      return { status: 'refused', detail: `there is no pipeline ${pipeline}` };
    case 'invalid':
      return { status: 'refused', detail: result.faults.map(({ detail }) => detail).join('; ') };
    case 'stream_busy':
      return { status: 'refused', detail: `another run holds the stream ${result.streamId} (on_busy: reject)` };
    case 'key_mismatch':
      return { status: 'refused', detail: 'its key was used before' };
  }
}

function variablesOf({ name, timezone }: ScheduleRecord, atMs: number): JsonObject {
  return { schedule: { name, timezone }, tick: { at: toTime(atMs), date: localDate(atMs, timezone) } };
}
