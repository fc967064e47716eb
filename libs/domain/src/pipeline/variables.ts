import type { Json, JsonObject } from '../json.js';
import { madeOnce } from '../made-once.js';
import type { ExpressionVariables } from './expression-language.js';
import { allSteps } from './graph.js';
import type { PipelineDefinition } from './pipeline-definition.js';
import type { PipelineStep, StepOutcome } from './pipeline-step.js';

/** The fields of `run` in expressions; the engine fills all of them. */
export const RUN_FIELDS = ['id', 'stream_id', 'pipeline', 'version', 'created_at', 'tags', 'metadata'] as const;

export type RunVariables = { readonly [field in (typeof RUN_FIELDS)[number]]: Json };

/** What is known when an expression is evaluated. `steps`: by step id, those that have a state. */
export type VariableSources = {
  readonly inputs: JsonObject;
  readonly run: Json;
  readonly steps: ReadonlyMap<string, StepOutcome>;
  /** Only inside the body of a `for_each`. */
  readonly item?: { readonly value: Json; readonly index: number };
  /** Only inside the body of a `repeat`: outputs of the previous round by step id; null in the first round. */
  readonly last?: JsonObject | null;
};

/**
 * The variables of a step's expressions and of `output`. A missing key is an error in CEL, so every declared input and
 * every step of the document is there: null where there is no value, status `pending` where there is no state.
 */
export function pipelineVariables(definition: PipelineDefinition, sources: VariableSources): ExpressionVariables {
  const steps: JsonObject = {};
  for (const id of allIds(definition.steps)) {
    const outcome = sources.steps.get(id);
    steps[id] = { status: outcome?.status ?? 'pending', output: outcome?.output ?? null };
  }
  return {
    inputs: withDeclaredNames([...definition.inputs.keys()], sources.inputs),
    steps,
    run: sources.run,
    ...(sources.item === undefined ? {} : { item: sources.item.value, item_index: sources.item.index }),
    ...(sources.last === undefined ? {} : { last: sources.last }),
  };
}

const allIds = madeOnce((steps: readonly PipelineStep[]) => [...allSteps(steps)].map(({ id }) => id));

/**
 * The variables of a tool's target. `declared`: the property names of its parameters' schema, so that an optional
 * argument that the model left out is null.
 */
export function toolVariables(
  definition: PipelineDefinition,
  sources: {
    readonly args: JsonObject;
    readonly declared: readonly string[];
    readonly inputs: JsonObject;
    readonly run: Json;
    readonly secrets: JsonObject;
  },
): ExpressionVariables {
  return {
    args: withDeclaredNames(sources.declared, sources.args),
    inputs: withDeclaredNames([...definition.inputs.keys()], sources.inputs),
    run: sources.run,
    secrets: sources.secrets,
  };
}

function withDeclaredNames(names: readonly string[], values: JsonObject): JsonObject {
  const absent = names.filter((name) => !Object.hasOwn(values, name));
  return absent.length === 0 ? values : { ...Object.fromEntries(absent.map((name) => [name, null])), ...values };
}
