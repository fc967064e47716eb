import {
  countCodePoints,
  summaryRequest,
  summaryTextRoom,
  type EffectivePolicy,
  type Manifest,
  type ModelFacts,
  type ReadyBuild,
  type Transcript,
} from '../../libs/context/src/index.js';
import { summaryText } from '../../libs/context/src/summary/appendix-mark.js';
import type { StoredEvent } from '../../libs/domain/src/index.js';
import { CallLedger, recordedSession, type CallLine, type TotalLine } from '../../libs/engine/src/index.js';
import { sourceFrom } from '../../libs/engine/src/compact-stream/read-source.js';
import { simulateCall, unmanagedCall } from '../../libs/engine/src/preview/simulate-call.js';
import { SimulatedStream } from '../../libs/engine/src/preview/simulated-stream.js';
import { charsOf } from './rivals/sizes.js';
import { SUMMARY_INPUT_PRICE, SUMMARY_OUTPUT_PRICE } from './prices.js';

export type Played = {
  calls: CallLine[];
  total: TotalLine;
  largest: number;
  prefixChars: number;
  /** What a model's summaries would have cost instead of those by selection: each reads what is new and writes its part. */
  summaries: number;
  maxBuildMs: number;
  /** The builds with repair only, which are the same under every policy. */
  unmanaged: readonly ReadyBuild[];
};

const runId = (run: number): string => `run_${run + 1}`;

/** One recorded session under a policy, as `weir preview` plays it. */
export function playWeir(
  transcript: Transcript,
  policy: EffectivePolicy,
  model: ModelFacts,
  known: readonly ReadyBuild[] = [],
): Played {
  const { steps, policy: forced, manifestAt } = recordedSession(transcript, policy, model);
  const stream = new SimulatedStream('bench:step:agent');
  const ledger = new CallLedger(model);
  const cutoffs = new Map<number, number>();
  const calls: CallLine[] = [];
  const allUnmanaged: ReadyBuild[] = [];
  let summaries = 0;
  let maxBuildMs = 0;
  for (const step of steps) {
    const run = step.kind === 'event' ? step.event.run : step.run;
    const cutoffSeq = cutoffs.get(run) ?? stream.version;
    cutoffs.set(run, cutoffSeq);
    if (step.kind === 'event') {
      stream.append(runId(run), step.event.type, step.event.data);
      continue;
    }
    const manifest = manifestAt(step.call.model);
    const view = { mode: forced.mode, runId: runId(run), cutoffSeq };
    const call = { stream, view, manifest, memory: null, callNo: step.callNo };
    const unmanaged = known[calls.length] ?? unmanagedCall(call);
    allUnmanaged.push(unmanaged);
    const before = stream.version;
    const { build, buildMs } = simulateCall(call);
    summaries += summariesCost(stream.events, before, manifest);
    maxBuildMs = Math.max(maxBuildMs, buildMs);
    const { messageIndex } = step.call;
    const answerOf = (entry: number) => stream.answerOf(entry);
    calls.push(ledger.add({ call: step.call.call, messageIndex, model: manifest.model, build, unmanaged, answerOf }));
  }
  return {
    calls,
    total: ledger.total(stream.events.filter((event) => event.type === 'ContextCompacted').length),
    largest: Math.max(0, ...calls.map(({ chars }) => chars)),
    prefixChars: calls.reduce((sum, call) => sum + call.common_prefix_chars, 0),
    summaries,
    maxBuildMs,
    unmanaged: allUnmanaged,
  };
}

/** The model calls behind the summaries that were applied after `from`. */
function summariesCost(events: readonly StoredEvent[], from: number, manifest: Manifest): number {
  let cost = 0;
  for (const event of events.slice(from)) {
    if (event.type !== 'ContextCompacted') continue;
    const { replaces_seq_range: range, entries, supersedes, view_run_id, cutoff_seq, summary } = event.data;
    const record = { range, supersedes, viewRunId: view_run_id, cutoffSeq: cutoff_seq };
    const earlier = events.slice(0, event.seq - 1);
    const {
      fresh,
      entries: all,
      previousSummary,
    } = sourceFrom(record, manifest, { events: earlier, digests: earlier }, earlier);
    const maxChars = summaryTextRoom(countCodePoints(summary), all);
    const request = summaryRequest({ entries: fresh, previousSummary, asOf: entries[1], maxChars });
    const read = countCodePoints(request.system ?? '') + charsOf(request.messages);
    cost += SUMMARY_INPUT_PRICE * read + SUMMARY_OUTPUT_PRICE * countCodePoints(summaryText(summary));
  }
  return cost;
}
