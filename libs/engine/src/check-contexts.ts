import { checkEffectivePolicy, effectivePolicy, usesDefaultPolicy, type EffectivePolicy } from '#libs/context';
import type {
  EffectiveStep,
  JsonObject,
  PipelineDefinition,
  PipelineFault,
  PipelineNote,
  PolicyFault,
} from '#libs/domain';
import { agentPlaces, modelsOf, type AgentPlace, type CheckDeps } from './agent-places.js';

/** What only shows once all levels are merged and the models are known: faults of each agent step's context, each said once. */
export function contextFaults(deps: CheckDeps, definition: PipelineDefinition): PipelineFault[] {
  const faults = agentPlaces(definition).flatMap((place) => faultsOf(deps, place));
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.code}`, fault])).values()];
}

function faultsOf(deps: CheckDeps, { path, step, effective, forItem }: AgentPlace): PipelineFault[] {
  const policy = effectivePolicy({ ...effective.contextLevels, settings: deps.settings.serverContext }, forItem);
  const windows = modelsOf(deps, effective).map((model) => windowOf(deps, model));
  const narrowest = windows.includes(null) ? null : Math.min(...windows.filter((window) => window !== null));
  const faults = [
    ...checkEffectivePolicy(policy, windows.length === 0 ? null : narrowest),
    ...modelFaults(deps, policy),
  ];
  return faults.map((fault) => {
    const at = `${nearestBlock(deps, effective, path, step.agent, fault.path)}.${fault.path}`;
    return { ...fault, path: at, detail: `${at} (step ${step.id}): ${fault.detail}` };
  });
}

/** A summary model that does not exist would be passed over in silence, call by call. */
function modelFaults({ models }: CheckDeps, { budget, compaction }: EffectivePolicy): PolicyFault[] {
  const named = { 'budget.summary_model': budget?.summary_model ?? null, 'compaction.model': compaction.model };
  return Object.entries(named).flatMap(([path, model]): PolicyFault[] => {
    const found = model === null ? null : models.facts(model);
    // Scripts of tests may come later.
    if (model === null || found === null || found.ok || model.startsWith('scripted:')) return [];
    return [{ path, code: 'unknown_model', found: model, expected: 'connection:model', detail: found.detail }];
  });
}

/** Where the block stands that names the section; its fields are what there is to change. */
function nearestBlock(
  { settings }: CheckDeps,
  { contextLevels: { step, agent, pipeline } }: EffectiveStep,
  path: string,
  agentName: string,
  faultPath: string,
): string {
  const section = faultPath.split('.')[0] ?? '';
  const names = (block: JsonObject | null): boolean => block !== null && Object.hasOwn(block, section);
  if (names(step)) return `${path}.context`;
  if (names(agent)) return `agents.${agentName}.context`;
  if (names(pipeline)) return 'context';
  return names(settings.serverContext) ? 'runtime.context' : 'context';
}

/** What the author should know about contexts that are accepted. */
export function contextNotes(deps: CheckDeps, definition: PipelineDefinition): PipelineNote[] {
  const places = agentPlaces(definition);
  const unnamed = places.some(({ effective }) =>
    usesDefaultPolicy({ ...effective.contextLevels, settings: deps.settings.serverContext }),
  );
  const defaults: PipelineNote[] = unnamed
    ? [{ path: 'context', code: 'default_context_policy', detail: DEFAULTS }]
    : [];
  const models = new Map(
    places.flatMap(({ effective, path }) =>
      modelsOf(deps, effective).flatMap((model) =>
        hasServer(model) && windowOf(deps, model) === null ? [[model, path] as const] : [],
      ),
    ),
  );
  return [...defaults, ...[...models].map(([model, path]) => unknownWindow(model, path))];
}

const DEFAULTS =
  'no context policy is named: the defaults are in use (preset coding_agent: window 10 turns, soft cap 400,000, hard cap 600,000 chars); docs/guide/context.md explains the presets';

const unknownWindow = (model: string, path: string): PipelineNote => ({
  path,
  code: 'model_window_unknown',
  detail: `the window of ${model} is not in the catalogue, so only the caps of the context policy bound its requests; set window_tokens for it in models.yml`,
});

function windowOf({ models }: CheckDeps, model: string): number | null {
  const found = models.facts(model);
  return found.ok ? found.facts.windowTokens : null;
}

/** The builtin models have no window to speak of, and recordings say what each call had. */
const hasServer = (model: string): boolean => !/^(?:builtin|replay|scripted):/.test(model);
