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
import { simulateCall } from './simulate-call.js';
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

/**
 * What each model call of a recorded session would send under a policy, without a store or a model; the total is the
 * generator's return value. Each step costs what is new, and the session is held in memory once.
 */
export function* previewTranscript(
  transcript: Transcript,
  policy: EffectivePolicy,
  model: ModelFacts,
): Generator<PreviewedCall, TotalLine> {
  const { steps, policy: forced, manifestAt } = recordedSession(transcript, policy, model);
  const stream = new SimulatedStream('preview:step:agent');
  const ledger = new CallLedger(model);
  const cutoffs = new Map<number, number>();
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
    const { build, unmanaged, buildMs } = simulateCall({ stream, view, manifest, memory: null, callNo: step.callNo });
    const line = ledger.add({
      call: step.call.call,
      messageIndex: step.call.messageIndex,
      model: manifest.model,
      build,
      unmanaged,
      answerOf: (entry) => stream.answerOf(entry),
    });
    yield { line, request: build.kind === 'ready' ? build.request : null, buildMs };
  }
  return ledger.total(countApplied(stream));
}

const runId = (run: number): string => `run_${run + 1}`;

export function countApplied(stream: SimulatedStream): number {
  return stream.events.filter((event) => event.type === 'ContextCompacted').length;
}
