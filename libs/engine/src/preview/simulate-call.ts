import {
  buildContext,
  policyCanonical,
  readPolicy,
  type CompactionProposal,
  type JsonReport,
  type Manifest,
  type OverHardCapBuild,
  type ReadyBuild,
  type ViewSpec,
} from '#libs/context';
import type { JsonObject } from '#libs/domain';
import { compactionEnd, type CompactionTask } from '../compact-stream/compaction-end.js';
import { sourceFrom } from '../compact-stream/read-source.js';
import { extract, type Settled } from '../compact-stream/summarise.js';
import { contextHash } from '../context-hash.js';
import { sha256 } from '../new-event.js';
import { readyUnmanaged } from './call-ledger.js';
import type { SimulatedStream } from './simulated-stream.js';

/** Where a simulated call stands: the stream so far, and what its build depends on besides. */
export type SimulatedCall = {
  stream: SimulatedStream;
  view: ViewSpec;
  manifest: Manifest;
  memory: JsonObject | null;
  callNo: number;
};

export type Simulated = { build: ReadyBuild | OverHardCapBuild; buildMs: number };

/**
 * One model call as the service would prepare it: compactions that it waits for are made at once by the compactor's own code,
 * and its start is recorded, so that the next call's frontier goes on from it.
 */
export function simulateCall(call: SimulatedCall): Simulated {
  const before = performance.now();
  const build = settledBuild(call);
  const buildMs = performance.now() - before;
  if (build.kind === 'ready') recordStart(call, build);
  return { build, buildMs };
}

/** The same call with repair only. To be built before the call is simulated. */
export const unmanagedCall = (call: SimulatedCall): ReadyBuild => readyUnmanaged(buildAs(call, 'unmanaged'));

const policyHashes = new WeakMap<Manifest['policy'], string>();

/** SHA-256 of the policy in a manifest. */
export function policyHashOf(policy: Manifest['policy']): string {
  const known = policyHashes.get(policy);
  if (known !== undefined) return known;
  const hash = sha256(policyCanonical(readPolicy(policy)));
  policyHashes.set(policy, hash);
  return hash;
}

function buildAs({ stream, view, manifest, memory }: SimulatedCall, purpose: 'managed' | 'unmanaged') {
  return buildContext({
    events: stream.events,
    view,
    manifest,
    policyHash: policyHashOf(manifest.policy),
    memory,
    uptoSeq: stream.version,
    runActive: true,
    purpose,
    known: stream.known,
  });
}

/** Every wait ends a request for a longer range, or by one that may not be repeated, so this ends. */
function settledBuild(call: SimulatedCall): ReadyBuild | OverHardCapBuild {
  for (;;) {
    const build = buildAs(call, 'managed');
    if (build.kind !== 'wait') return build;
    if (build.proposal === null) throw new TypeError('a simulated call waits for a compaction that nobody makes');
    compact(call, build.proposal);
  }
}

const MAX_ATTEMPTS = 3;

function compact({ stream, view, manifest }: SimulatedCall, proposal: CompactionProposal): void {
  const compactionId = `cmp_${stream.version}`;
  const task: CompactionTask = {
    compactionId,
    viewRunId: proposal.viewRunId,
    cutoffSeq: proposal.cutoffSeq,
    range: proposal.range,
    entries: proposal.entries,
    supersedes: proposal.supersedes,
    policyHash: policyHashOf(manifest.policy),
    maxSummaryChars: proposal.maxSummaryChars,
    charsBefore: proposal.charsBefore,
    attempt: MAX_ATTEMPTS,
  };
  stream.append(view.runId, 'CompactionRequested', {
    compaction_id: compactionId,
    view_run_id: proposal.viewRunId,
    cutoff_seq: proposal.cutoffSeq,
    range: [...proposal.range],
    entries: [...proposal.entries],
    supersedes: proposal.supersedes,
    reason: proposal.reason,
    policy_hash: task.policyHash,
    manifest: '',
    max_summary_chars: proposal.maxSummaryChars,
  });
  const now = { events: stream.events, digests: stream.events };
  const source = sourceFrom(task, manifest, now, stream.events);
  const result: Settled =
    source.fresh.length === 0
      ? { kind: 'nothing_to_compact', spent: { usage: null, costUsd: 0, modelCalls: 0 } }
      : extract(task, source);
  const end = compactionEnd(task, result, now);
  stream.append(view.runId, end.type, end.data);
}

function recordStart({ stream, view, manifest, callNo }: SimulatedCall, build: ReadyBuild): void {
  const report: JsonReport = build.report;
  stream.append(view.runId, 'LlmCallStarted', {
    call_no: callNo,
    try: 1,
    model: manifest.model.id,
    message_count: build.messages.length,
    approx_context_chars: build.chars,
    approx_context_tokens: build.tokens,
    upto_seq: stream.version,
    policy_hash: policyHashOf(manifest.policy),
    context_hash: contextHash(build),
    manifest: '',
    frontier: build.frontier,
    report,
  });
}
