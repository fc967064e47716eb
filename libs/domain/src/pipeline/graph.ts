import { madeOnce } from '../made-once.js';
import type { ExpressionLanguage, ExpressionReference } from './expression-language.js';
import type { PipelineDefinition } from './pipeline-definition.js';
import type { PipelineStep, StepBody, StepTask, TaskPart } from './pipeline-step.js';
import { parseTemplate, type Template } from './template.js';

/** The steps of a body, or null for kinds that have none. */
export function bodyOf(step: PipelineStep): StepBody | null {
  return step.kind === 'for_each' || step.kind === 'repeat' ? step.body : null;
}

/** Every step, bodies included, a step before those of its body. */
export function* allSteps(steps: readonly PipelineStep[]): Generator<PipelineStep> {
  for (const step of steps) {
    yield step;
    yield* allSteps(bodyOf(step)?.steps ?? []);
  }
}

export type FoundStep = {
  readonly step: PipelineStep;
  /** The steps whose bodies it is in, outermost first. */
  readonly containers: readonly PipelineStep[];
  /** The steps of the list it is in, itself included. */
  readonly siblings: readonly PipelineStep[];
};

/** Null when the definition has no step of that id. */
export function findDefinedStep(definition: PipelineDefinition, stepId: string): FoundStep | null {
  return stepsById(definition.steps).get(stepId) ?? null;
}

const stepsById = madeOnce((steps: readonly PipelineStep[]) => {
  const found = new Map<string, FoundStep>();
  addFound(found, steps, []);
  return found;
});

/** Of two steps of one id, which only faulty documents have, the first. */
function addFound(
  found: Map<string, FoundStep>,
  steps: readonly PipelineStep[],
  containers: readonly PipelineStep[],
): void {
  for (const step of steps) {
    if (!found.has(step.id)) found.set(step.id, { step, containers, siblings: steps });
    addFound(found, bodyOf(step)?.steps ?? [], [...containers, step]);
  }
}

/** Steps of one list, dependencies first, else document order. Total also for cycles, which `parsePipeline` refuses. */
export const stepOrder = madeOnce((steps: readonly PipelineStep[]): readonly PipelineStep[] => {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const placed = new Set<string>();
  const ordered: PipelineStep[] = [];
  const place = (step: PipelineStep): void => {
    if (placed.has(step.id)) return;
    placed.add(step.id);
    for (const id of precedersOf(steps, step.id)) {
      const dependency = byId.get(id);
      if (dependency !== undefined) place(dependency);
    }
    ordered.push(step);
  };
  for (const step of steps) place(step);
  return ordered;
});

/** The steps of the same list that name this one in `depends_on`, in document order. */
export function dependantsOf(steps: readonly PipelineStep[], stepId: string): readonly PipelineStep[] {
  return steps.filter((step) => step.dependsOn.includes(stepId));
}

/** Ids that must have ended before the step may start: what it depends on, and steps whose `on_error` leads to it. */
function precedersOf(steps: readonly PipelineStep[], stepId: string): readonly string[] {
  const own = steps.find((step) => step.id === stepId)?.dependsOn ?? [];
  return [...own, ...leadingTo(steps, stepId).map((step) => step.id)];
}

/** The steps of the same list whose `on_error` leads to this one. */
export const leadingTo = (steps: readonly PipelineStep[], stepId: string): readonly PipelineStep[] =>
  leadsByTarget(steps).get(stepId) ?? [];

const leadsByTarget = madeOnce((steps: readonly PipelineStep[]) => {
  const leads = new Map<string, PipelineStep[]>();
  for (const step of steps)
    if (step.onError.action === 'goto')
      leads.set(step.onError.stepId, [...(leads.get(step.onError.stepId) ?? []), step]);
  return leads;
});

/** Ids of all steps of the same list that come before it, directly or not. In a cycle a step is its own ancestor. */
export function upstreamOf(steps: readonly PipelineStep[], stepId: string): ReadonlySet<string> {
  const upstream = new Set<string>();
  const open = [...precedersOf(steps, stepId)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (upstream.has(next)) continue;
    upstream.add(next);
    open.push(...precedersOf(steps, next));
  }
  return upstream;
}

/** What the step's own expressions and templates read, its body's not included. Unreadable expressions read nothing. */
export function referencesOf(step: PipelineStep, language: ExpressionLanguage): readonly ExpressionReference[] {
  const roots = ['inputs', 'steps', 'run', 'item', 'item_index', 'last'];
  return expressionsOf(step).flatMap((source) => {
    const checked = language.check(source, roots);
    return checked.ok ? checked.references : [];
  });
}

function expressionsOf(step: PipelineStep): readonly string[] {
  const bare = step.kind === 'repeat' ? [step.when, step.until] : [step.when];
  const templates = [step.documents, ...workTemplates(step)];
  return [...bare.filter((source) => source !== null), ...templates.flatMap(sourcesIn)];
}

function workTemplates(step: PipelineStep): readonly Template[] {
  switch (step.kind) {
    case 'agent':
      return taskTemplates(step.task);
    case 'tool':
      return [step.args];
    case 'transform':
      return [step.transform];
    case 'for_each':
      return [step.items];
    case 'repeat':
      return [];
    case 'pipeline':
      return [step.inputs, step.streamId];
    case 'approval':
      return [step.prompt];
    case 'wait_for':
      return [step.key];
    case 'sleep':
      return step.sleep.type === 'template' ? [step.sleep.template] : [];
  }
}

function taskTemplates(task: StepTask): readonly Template[] {
  return typeof task === 'string' ? [task] : task.map(partTemplate);
}

function partTemplate(part: TaskPart): Template {
  if (part.type === 'text') return part.text;
  return part.source.from === 'data' ? part.source.data : part.source.url;
}

function sourcesIn(template: Template): readonly string[] {
  if (typeof template === 'string') {
    const parsed = parseTemplate(template);
    return parsed.ok ? parsed.parts.flatMap((part) => (part.type === 'expression' ? [part.source.trim()] : [])) : [];
  }
  if (typeof template !== 'object' || template === null) return [];
  return Object.values(template).flatMap(sourcesIn);
}
