import type { EffectivePolicy, Manifest, ModelFacts } from '#libs/context';
import type { JsonObject, StoredEvent, StoredEventOf } from '#libs/domain';
import { CallLedger } from './call-ledger.js';
import type { CallLine, TotalLine } from './call-line.js';
import { forcedPolicy } from './force-policy.js';
import { manifestWith } from './recorded-manifest.js';
import { simulateCall, unmanagedCall } from './simulate-call.js';
import { SimulatedStream } from './simulated-stream.js';

/** What the builds over a stored sub-stream depend on besides its events. */
export type StreamPreview = {
  events: readonly StoredEvent[];
  policy: EffectivePolicy;
  /** Instead of the model that each call was made with; null: as it was. */
  model: ModelFacts | null;
  /** The manifest that a call was built with; null: not stored any more, then the call is left out. */
  manifestOf: (started: StoredEventOf<'LlmCallStarted'>) => Manifest | null;
  /** The stream's memory as of the start of a run's step. */
  memoryOf: (runId: string | null) => JsonObject | null;
  /** Only calls of this run are told of; null: all. */
  runId: string | null;
};

/** What the next call of the view would see, for the answer's `context`. */
export type PreviewEnd = { stream: SimulatedStream; manifest: Manifest; runId: string | null; cutoffSeq: number };

export type PreviewedStream = { calls: CallLine[]; total: TotalLine; end: PreviewEnd | null };

/**
 * What the recorded calls of a sub-stream would have sent under another policy. What was answered, and what tools gave, stays
 * as it is stored; frontiers and compactions of the recorded builds are left out and made anew.
 */
export function previewStream(preview: StreamPreview): PreviewedStream {
  const policy = forcedPolicy(preview.policy);
  const stream = new SimulatedStream(preview.events[0]?.streamId ?? 'preview');
  const answered = answersByCall(preview.events);
  const cutoffs = new Map<string | null, number>();
  const calls: CallLine[] = [];
  let ledger: CallLedger | null = null;
  let end: PreviewEnd | null = null;
  for (const event of preview.events) {
    const cutoffSeq = cutoffs.get(event.runId) ?? stream.version;
    cutoffs.set(event.runId, cutoffSeq);
    if (event.type !== 'LlmCallStarted') {
      if (!isOfRecordedBuild(event)) stream.take(event);
      continue;
    }
    const stored = preview.manifestOf(event);
    if (stored === null) continue;
    const manifest = manifestWith(stored, policy, preview.model ?? stored.model);
    const view = { mode: policy.mode, runId: event.runId, cutoffSeq };
    const callNo = event.data.call_no;
    const simulated = { stream, view, manifest, memory: preview.memoryOf(event.runId), callNo };
    const unmanaged = unmanagedCall(simulated);
    const { build } = simulateCall(simulated);
    end = { stream, manifest, runId: event.runId, cutoffSeq };
    if (preview.runId !== null && event.runId !== preview.runId) continue;
    ledger ??= new CallLedger(manifest.model);
    const messageIndex = answered.get(callKey(event.runId, event.data)) ?? null;
    const call = { call: calls.length + 1, messageIndex, model: manifest.model, build, unmanaged };
    calls.push(ledger.add({ ...call, answerOf: (entry) => stream.answerOf(entry) }));
  }
  return { calls, total: (ledger ?? new CallLedger(NO_CALLS)).total(countCompactions(stream)), end };
}

const NO_CALLS = {
  cacheReadRatio: 0,
  cacheWriteRatio: 0,
  promptCaching: false,
  weights: { imageChars: 0, imageTokens: 0, pageChars: 0, pageTokens: 0 },
};

const countCompactions = (stream: SimulatedStream): number =>
  stream.events.filter((event) => event.type === 'ContextCompacted').length;

/** Index of the answer among the entries, from 0, by call. */
function answersByCall(events: readonly StoredEvent[]): Map<string, number> {
  const answers = new Map<string, number>();
  for (const event of events)
    if (event.type === 'LlmCallCompleted' && event.entry !== null)
      answers.set(callKey(event.runId, event.data), event.entry - 1);
  return answers;
}

const callKey = (runId: string | null, call: { call_no: number; try: number }): string =>
  `${runId ?? ''} ${call.call_no} ${call.try}`;

/** What came of the policy that was in force; the preview makes its own. */
function isOfRecordedBuild({ type }: StoredEvent): boolean {
  return type.startsWith('Compaction') || type === 'ContextCompacted' || type === 'HardCapExceeded';
}
