import {
  importTranscript,
  type EffectivePolicy,
  type ImportStep,
  type Manifest,
  type ModelFacts,
  type NeutralRequest,
  type ReplayPlan,
  type Transcript,
} from '#libs/context';
import { CallLedger } from './call-ledger.js';
import type { CallLine, TotalLine } from './call-line.js';
import { forcedPolicy } from './force-policy.js';
import { modelOfCall } from './recorded-model.js';
import { recordedManifest } from './recorded-manifest.js';
import { simulateCall, unmanagedCall, type Simulated, type SimulatedCall } from './simulate-call.js';
import { SimulatedStream } from './simulated-stream.js';

export type PreviewedCall = { line: CallLine; request: NeutralRequest | null; buildMs: number };

/** A recorded session as stored events and places of calls, with the manifests that its calls are built with. */
export type RecordedSession = {
  plan: ReplayPlan;
  steps: ImportStep[];
  policy: EffectivePolicy;
  /** The manifest at a call: that of the session, with the model that the recording names there. */
  manifestAt: (model: string | null) => Manifest;
};

export function recordedSession(transcript: Transcript, policy: EffectivePolicy, model: ModelFacts): RecordedSession {
  const forced = forcedPolicy(policy);
  const { plan, steps } = importTranscript(transcript, { origin: 'task', model: model.id, callNumbers: 'run' });
  const session = recordedManifest(plan, forced, model);
  const manifests = new Map<string, Manifest>();
  const manifestAt = (recorded: string | null): Manifest => {
    const facts = modelOfCall(model, recorded);
    const known = manifests.get(facts.id);
    if (known !== undefined) return known;
    const made = { ...session, model: facts };
    manifests.set(facts.id, made);
    return made;
  };
  return { plan, steps, policy: forced, manifestAt };
}

/** A call of a recorded session at its place: the events before it are in the stream, its own are not yet. */
type CallPlace = { step: Extract<ImportStep, { kind: 'call' }>; call: SimulatedCall };

/** Goes through a recorded session event by event, and stops at each call. */
function* callPlaces({ steps, policy, manifestAt }: RecordedSession, stream: SimulatedStream): Generator<CallPlace> {
  const cutoffs = new Map<number, number>();
  for (const step of steps) {
    const run = step.kind === 'event' ? step.event.run : step.run;
    const cutoffSeq = cutoffs.get(run) ?? stream.version;
    cutoffs.set(run, cutoffSeq);
    if (step.kind === 'event') {
      stream.append(runId(run), step.event.type, step.event.data);
      continue;
    }
    const view = { mode: policy.mode, runId: runId(run), cutoffSeq };
    yield { step, call: { stream, view, manifest: manifestAt(step.call.model), memory: null, callNo: step.callNo } };
  }
}

/**
 * What each model call of a recorded session would send under a policy, without a store or a model; the total is the
 * generator's return value. The session is held in memory once.
 */
export function* previewTranscript(
  transcript: Transcript,
  policy: EffectivePolicy,
  model: ModelFacts,
): Generator<PreviewedCall, TotalLine> {
  const stream = new SimulatedStream('preview:step:agent');
  const ledger = new CallLedger(model);
  for (const { step, call } of callPlaces(recordedSession(transcript, policy, model), stream)) {
    const unmanaged = unmanagedCall(call);
    const { build, buildMs } = simulateCall(call);
    const line = ledger.add({
      call: step.call.call,
      messageIndex: step.call.messageIndex,
      model: call.manifest.model,
      build,
      unmanaged,
      answerOf: (entry) => stream.answerOf(entry),
    });
    yield { line, request: build.kind === 'ready' ? build.request : null, buildMs };
  }
  return ledger.total(countApplied(stream));
}

/** The builds alone, for checks that compare nothing: each call as it would be sent, or why not. */
export function* buildsOf(
  transcript: Transcript,
  policy: EffectivePolicy,
  model: ModelFacts,
): Generator<{ call: number; model: ModelFacts; build: Simulated['build'] }> {
  const stream = new SimulatedStream('preview:step:agent');
  for (const { step, call } of callPlaces(recordedSession(transcript, policy, model), stream))
    yield { call: step.call.call, model: call.manifest.model, build: simulateCall(call).build };
}

const runId = (run: number): string => `run_${run + 1}`;

export function countApplied(stream: SimulatedStream): number {
  return stream.events.filter((event) => event.type === 'ContextCompacted').length;
}
