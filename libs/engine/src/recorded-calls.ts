import { replayPlan, transcriptSchema, type ReplayPlan } from '#libs/context';
import { subStreamId } from '#libs/domain';
import type { EventLog } from './ports/event-log.port.js';
import type { CallPosition } from './ports/model.port.js';
import type { RecordedCall, RecordedCalls, Recordings } from './ports/recordings.port.js';

type RecordedCallsDeps = { recordings: Recordings; log: Pick<EventLog, 'read'> };
type Planned = { ok: true; plan: ReplayPlan } | { ok: false; detail: string };

const MAX_PLANS = 8;
const MAX_ORDINALS = 10_000;

/**
 * What models and tools of kind `replay` answer with. The n-th run that began a step on a stream plays the n-th run of the
 * recording. Plans are kept by content, places of runs by run: both never change.
 */
export function recordedCalls({ recordings, log }: RecordedCallsDeps): RecordedCalls {
  const plans = new Map<string, Planned>();
  const ordinals = new Map<string, number>();
  const planOf = async (projectId: string, name: string): Promise<Planned> => {
    const missing = `there is no recording ${name}; upload it with PUT /v1/recordings/${name}`;
    const hash = await recordings.hash(projectId, name);
    if (hash === null) return { ok: false, detail: missing };
    const known = plans.get(hash);
    if (known !== undefined) return known;
    const stored = await recordings.get(projectId, name);
    if (stored === null) return { ok: false, detail: missing };
    const planned = read(name, stored.body);
    remember(plans, MAX_PLANS, stored.hash, planned);
    return planned;
  };
  const ordinalOf = async (position: CallPosition): Promise<number> => {
    const key = `${position.projectId} ${position.runId} ${position.stepId} ${String(position.item)}`;
    const ordinal = ordinals.get(key) ?? (await runOrdinal(log, position));
    remember(ordinals, MAX_ORDINALS, key, ordinal);
    return ordinal;
  };
  return async (recording, position) => {
    const planned = await planOf(position.projectId, recording);
    if (!planned.ok) return { status: 'missing', detail: planned.detail };
    return callAt(planned.plan, await ordinalOf(position), recording, position);
  };
}

function read(name: string, body: unknown): Planned {
  const parsed = transcriptSchema.safeParse(body);
  if (parsed.success) return { ok: true, plan: replayPlan(parsed.data) };
  const first = parsed.error.issues[0];
  return {
    ok: false,
    detail: `the recording ${name} is no transcript at ${first?.path.join('.') ?? '(root)'}: ${first?.message ?? 'unknown'}`,
  };
}

function callAt(plan: ReplayPlan, ordinal: number, recording: string, { callNo }: CallPosition): RecordedCall {
  const run = plan.runs[ordinal - 1];
  if (run === undefined)
    return {
      status: 'missing',
      detail: `the recording ${recording} has ${plan.runs.length} runs, this is run ${ordinal} on its stream`,
    };
  const call = run.calls[callNo - 1];
  return call === undefined ? { status: 'ended', end: run.end } : { status: 'call', call };
}

/** Which of the runs that began this step on its sub-stream this one is, from 1. */
async function runOrdinal(
  log: Pick<EventLog, 'read'>,
  { projectId, streamId, stepId, item, runId }: CallPosition,
): Promise<number> {
  // A tool step has no task: its first trace is the start of its call.
  const types = ['UserMessageReceived', 'ToolCallStarted'] as const;
  const events = await log.read({ projectId, streamId: subStreamId(streamId, stepId, item), types });
  const runs = new Set<string>();
  for (const event of events) {
    if (event.runId === null) continue;
    runs.add(event.runId);
    if (event.runId === runId) return runs.size;
  }
  return runs.size + 1;
}

/** Keeps the newest entries. */
function remember<K, V>(map: Map<K, V>, size: number, key: K, value: V): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > size && oldest.done !== true) map.delete(oldest.value);
}
