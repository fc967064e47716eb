import {
  compactionState,
  policyCanonical,
  policyJson,
  proposeRequested,
  readPolicy,
  type CompactionProposal,
  type Manifest,
  type ViewSpec,
} from '#libs/context';
import { isEndedRun, rootStreamId, subStreamId, type StoredEvent } from '#libs/domain';
import { dispatchCompactions } from '../dispatch/relay-compactions.js';
import type { EngineDeps } from '../engine-deps.js';
import { storedManifest } from '../manifest.js';
import { sha256 } from '../new-event.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { digestOf } from './read-source.js';
import { askAgain } from './retry-compaction.js';

/** Which conversation: that of a step (or one item of it), as its last start saw it; in `fresh` views that of a run. */
export type RequestStreamCompaction = {
  projectId: string;
  /** The stream or any of its sub-streams. */
  streamId: string;
  stepId: string;
  item: number | null;
  /** Null: the run that started the step last. */
  runId: string | null;
  /** In place of the policy's, this once: a tail that is itself over the hard cap can be summarised. Null: the policy's. */
  minTailTurns: number | null;
};

export type RequestStreamCompactionResult =
  | { status: 'requested'; compactionId: string }
  | { status: 'step_not_started' }
  | { status: 'manifest_missing' }
  | { status: 'already_open'; compactionId: string }
  | { status: 'nothing_to_compact'; detail: string };

type RequestDeps = Pick<EngineDeps, 'runs' | 'log' | 'redact' | 'newId' | 'compactions' | 'queue' | 'logger'>;
/** The last start of an agent step; other kinds have no context. */
type Started = { runId: string | null; view: ViewSpec; manifestHash: string };
type Target = {
  command: RequestStreamCompaction;
  subStream: string;
  started: Started;
  manifest: Manifest;
  runActive: boolean;
};

/**
 * An admin asks for a compaction of all that may be summarised now, whatever back-off and caps say: so a stream that stands
 * at its hard cap is freed before its run is retried. Policy and model are those of the step's last start.
 */
export async function requestStreamCompaction(
  deps: RequestDeps,
  command: RequestStreamCompaction,
): Promise<RequestStreamCompactionResult> {
  const started = await lastStart(deps, command);
  if (started === null) return { status: 'step_not_started' };
  const manifest = await storedManifest(deps, command.projectId, started.manifestHash);
  if (manifest === null) return { status: 'manifest_missing' };
  const run = started.runId === null ? null : await deps.runs.getRun(command.projectId, started.runId);
  const target: Target = {
    command,
    started,
    manifest,
    subStream: subStreamId(rootStreamId(command.streamId), command.stepId, command.item),
    runActive: run !== null && !isEndedRun(run.status),
  };
  const result = await deps.runs.transact((tx) => requestIn(deps, tx, target));
  if (result.status === 'requested') await dispatchCompactions(deps, command.projectId, [result.compactionId]);
  return result;
}

async function lastStart({ log }: RequestDeps, command: RequestStreamCompaction): Promise<Started | null> {
  const streamId = rootStreamId(command.streamId);
  const events = await log.read({ projectId: command.projectId, streamId, types: ['StepStarted'] });
  for (const event of events.toReversed()) {
    const started = startOf(event, command);
    if (started !== null) return started;
  }
  return null;
}

function startOf(event: StoredEvent, { stepId, item, runId }: RequestStreamCompaction): Started | null {
  if (event.type !== 'StepStarted' || event.stepId !== stepId || event.item !== item) return null;
  if (runId !== null && event.runId !== runId) return null;
  const { context_mode: mode, cutoff_seq: cutoffSeq, manifest } = event.data;
  if (mode === null || manifest === null) return null;
  return { runId: event.runId, view: { mode, runId: event.runId, cutoffSeq }, manifestHash: manifest };
}

async function requestIn(
  deps: RequestDeps,
  tx: RunTransaction,
  target: Target,
): Promise<RequestStreamCompactionResult> {
  const { subStream: streamId, command } = target;
  const { view } = target.started;
  const { projectId } = command;
  const versions = await tx.lockStreams(projectId, [streamId]);
  const uptoSeq = versions.get(streamId)?.version ?? 0;
  const events = await tx.read({ projectId, streamId, uptoSeq });
  const { open, barredDigests } = compactionState(events, view);
  if (open !== null) return { status: 'already_open', compactionId: open.id };
  const { manifest } = target;
  const policyHash = sha256(policyCanonical(readPolicy(manifest.policy)));
  const build = {
    events,
    view,
    manifest: withTail(manifest, command.minTailTurns),
    policyHash,
    memory: null,
    uptoSeq,
    runActive: target.runActive,
  };
  const proposal = proposeRequested({ ...build, purpose: 'managed' });
  if (proposal === null) return { status: 'nothing_to_compact', detail: NOTHING };
  if (barredDigests.includes(digestOf(events, view, proposal.range)))
    return { status: 'nothing_to_compact', detail: 'the summary of exactly these events was rolled back' };
  const compactionId = deps.newId('cmp');
  const isAsked = await askAgain(deps, tx, { ...requestOf(target, proposal), compactionId, policyHash });
  return isAsked
    ? { status: 'requested', compactionId }
    : {
        status: 'already_open',
        compactionId: (await tx.openCompaction(projectId, streamId, proposal.viewRunId)) ?? '',
      };
}

function withTail(manifest: Manifest, minTailTurns: number | null): Manifest {
  const policy = readPolicy(manifest.policy);
  if (minTailTurns === null || policy.window === null) return manifest;
  return { ...manifest, policy: policyJson({ ...policy, window: { ...policy.window, min_tail_turns: minTailTurns } }) };
}

const NOTHING = 'nothing in front of the last min_tail_turns gets shorter by a summary, or the policy has no window';

function requestOf({ command, started, subStream }: Target, proposal: CompactionProposal) {
  const { projectId, stepId, item } = command;
  const { viewRunId, cutoffSeq, range, entries, supersedes, maxSummaryChars, charsBefore, reason } = proposal;
  return {
    projectId,
    streamId: subStream,
    runId: started.runId,
    stepId,
    item,
    viewRunId,
    cutoffSeq,
    range,
    entries,
    supersedes,
    maxSummaryChars,
    charsBefore,
    reason,
    manifest: started.manifestHash,
  };
}
