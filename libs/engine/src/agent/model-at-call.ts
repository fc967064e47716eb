import type { Manifest, ModelFacts } from '#libs/context';
import { canonicalJson } from '#libs/domain';
import { sha256 } from '../new-event.js';
import type { ModelAt } from '../ports/model.port.js';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';
import type { AgentContext } from './agent-context.js';
import { manifestJson } from './agent-plan.js';
import { positionOf } from './call-position.js';

/** The model of one call, and the manifest that its context is built with. */
export type CallModel = {
  /** `connection:model`, as the adapter is called. */
  name: string;
  facts: ModelFacts;
  manifest: Manifest;
  manifestHash: string;
};

/** What a context is built with; the same for calls of the same facts. */
export type ManifestOfCall = Omit<CallModel, 'name'>;

export type CallModelResult = { kind: 'call'; model: CallModel } | { kind: 'ended'; outcome: StepOutcome };

/**
 * Most models are the plan's from the first call to the last. A recording may name another one from here on: then the
 * manifest of the call names it too, as for a fallback model, so the frontier is computed anew and rebuilding finds the same facts.
 */
export async function modelAtCall(
  context: AgentContext,
  call: { callNo: number; try: number },
): Promise<CallModelResult> {
  const { plan, execution, conversation } = context;
  const name = plan.models[conversation.loop.modelIndex()] ?? plan.model;
  const at = await execution.deps.models.at(name, positionOf(context, call));
  if (at.kind !== 'call') return { kind: 'ended', outcome: outcomeOf(at, call.callNo) };
  return { kind: 'call', model: { name, ...(await withManifest(context, at.facts)) } };
}

function outcomeOf(at: Exclude<ModelAt, { kind: 'call' }>, callNo: number): StepOutcome {
  switch (at.kind) {
    case 'unknown':
      return failedStep('invalid_request', at.detail);
    case 'ended':
      // What a session left open was cancelled there: so is the run that plays it.
      if (at.end === 'cancelled') return { kind: 'cancelled' };
      return failedStep('recorded_failure', `the recorded run ${at.end} before call ${callNo}`);
  }
}

async function withManifest({ plan, execution, callModels }: AgentContext, facts: ModelFacts): Promise<ManifestOfCall> {
  const key = canonicalJson(factsJson(facts));
  const known = callModels.get(key);
  if (known !== undefined) return known;
  const model =
    key === canonicalJson(factsJson(plan.facts))
      ? { facts: plan.facts, manifest: plan.manifest, manifestHash: plan.manifestHash }
      : await storedManifest(execution, { ...plan.manifest, model: facts });
  callModels.set(key, model);
  return model;
}

const factsJson = (facts: ModelFacts) => ({ ...facts, weights: { ...facts.weights } });

async function storedManifest({ deps, run }: AgentContext['execution'], manifest: Manifest): Promise<ManifestOfCall> {
  const json = manifestJson(manifest);
  const manifestHash = sha256(canonicalJson(json));
  await deps.log.putPayload(run.projectId, manifestHash, json);
  return { facts: manifest.model, manifest, manifestHash };
}
