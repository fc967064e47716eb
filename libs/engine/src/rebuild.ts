import { BUILDER_VERSION, buildContext, readPolicy, type BuildResult, type Manifest } from '#libs/context';
import { ERASED_DIGEST, subStreamId, type JsonObject, type StoredEvent, type StoredEventOf } from '#libs/domain';
import { findManifest } from './manifest.js';
import { readMemory } from './memory.js';
import { contextHash } from './context-hash.js';
import type { EngineDeps } from './engine-deps.js';

/** What building a recorded call again gave. `corrupt`: the stored events give other bytes under the same builder. */
export type RebuildVerdict = 'equal' | 'differs_by_version' | 'erased' | 'corrupt';

export type RebuiltCall = {
  verdict: RebuildVerdict;
  started: StoredEventOf<'LlmCallStarted'>;
  manifest: Manifest | null;
  build: BuildResult | null;
  /** As handed to the build; read with `placement: before_tail` only. */
  memory: JsonObject | null;
  cutoffSeq: number | null;
};

export type CallToRebuild = {
  projectId: string;
  runId: string;
  stepId: string;
  item: number | null;
  /** Each round of a repeated step counts its calls from 1. Absent: the latest that made such a call. */
  round?: number | null;
  callNo: number;
  try: number | null;
};

type RebuildDeps = Pick<EngineDeps, 'log' | 'runs'>;

/** Finds a recorded call (the last try when none is named) and builds its context again from the stored events. Null: no such call. */
export async function rebuildCall(deps: RebuildDeps, call: CallToRebuild): Promise<RebuiltCall | null> {
  const run = await deps.runs.getRun(call.projectId, call.runId);
  if (run === null) return null;
  const streamId = subStreamId(run.streamId, call.stepId, call.item);
  const events = await deps.log.read({ projectId: call.projectId, streamId });
  const started = findStarted(events, call);
  if (started === null) return null;
  const steps = await deps.runs.stepRunsOf(call.projectId, call.runId);
  const row = steps.find(
    (step) => step.stepId === call.stepId && step.item === call.item && step.round === started.round,
  );
  return rebuildStarted(deps, {
    projectId: call.projectId,
    rootStream: run.streamId,
    events,
    started,
    cutoffSeq: row?.cutoffSeq ?? null,
    memorySeq: row?.memorySeq ?? null,
  });
}

function findStarted(events: readonly StoredEvent[], call: CallToRebuild): StoredEventOf<'LlmCallStarted'> | null {
  const found = events.findLast(
    (event) =>
      event.type === 'LlmCallStarted' &&
      event.runId === call.runId &&
      (call.round ?? event.round) === event.round &&
      event.data.call_no === call.callNo &&
      (call.try === null || event.data.try === call.try),
  );
  return found?.type === 'LlmCallStarted' ? found : null;
}

export type Rebuild = {
  projectId: string;
  rootStream: string;
  events: readonly StoredEvent[];
  started: StoredEventOf<'LlmCallStarted'>;
  cutoffSeq: number | null;
  memorySeq: number | null;
};

/** The one way back from a recorded call to its context: behind context, explain, diff and verify. */
export async function rebuildStarted(deps: Pick<EngineDeps, 'log'>, rebuild: Rebuild): Promise<RebuiltCall> {
  const { started, events, cutoffSeq } = rebuild;
  const manifest = await findManifest(deps, rebuild.projectId, started.data.manifest);
  if (typeof manifest === 'string')
    return { verdict: manifest, started, manifest: null, build: null, memory: null, cutoffSeq };
  const policy = readPolicy(manifest.policy);
  const memory =
    policy.memory.placement === 'before_tail'
      ? await readMemory(deps.log, rebuild.projectId, rebuild.rootStream, rebuild.memorySeq ?? 0)
      : null;
  const build = buildContext({
    events,
    view: { mode: policy.mode, runId: started.runId, cutoffSeq },
    manifest,
    policyHash: started.data.policy_hash,
    memory,
    uptoSeq: started.data.upto_seq,
    runActive: true,
    purpose: 'managed',
  });
  return { verdict: verdictOf(build, started, manifest), started, manifest, build, memory, cutoffSeq };
}

export function verdictOf(
  build: BuildResult,
  started: StoredEventOf<'LlmCallStarted'>,
  manifest: Manifest,
): RebuildVerdict {
  if (started.digest === ERASED_DIGEST) return 'erased';
  if (build.kind === 'ready' && contextHash(build) === started.data.context_hash) return 'equal';
  return manifest.builder_version === BUILDER_VERSION ? 'corrupt' : 'differs_by_version';
}
