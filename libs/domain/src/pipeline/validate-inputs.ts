import type { Json, JsonObject } from '../json.js';
import { describeValue, faultAt, oneOf } from './fault-writer.js';
import { inputFaults } from './input-value.js';
import { isJsonObject } from './json-object.js';
import type { InputDeclaration, PipelineDefinition } from './pipeline-definition.js';
import type { PipelineFault } from './pipeline-fault.js';
import { PIPELINE_LIMITS } from './pipeline-limits.js';

export type ValidatedInputs =
  | { readonly ok: true; readonly inputs: JsonObject }
  | { readonly ok: false; readonly errors: readonly PipelineFault[] };

/** More names that are not declared say nothing new. */
const MAX_UNKNOWN_INPUTS = 50;

/**
 * Checks the inputs of a run against their declarations and fills in defaults; all faults at once, their paths below
 * `inputs`. An absent optional input stays absent (expressions read null), and null stands for absent. Inputs that are
 * not declared are faults. Text must be well-formed; lengths count Unicode code points.
 */
export function validateInputs(definition: PipelineDefinition, inputs: Json | undefined): ValidatedInputs {
  const given = inputs === undefined || inputs === null ? {} : inputs;
  if (!isJsonObject(given)) {
    return {
      ok: false,
      errors: [faultAt(['inputs'], { code: 'wrong_type', found: describeValue(given), expected: 'an object' })],
    };
  }
  if (isDeeperThan(given, PIPELINE_LIMITS.inputDepth)) {
    const found = `values over ${PIPELINE_LIMITS.inputDepth} levels deep`;
    const words = { code: 'too_large', found, expected: `at most ${PIPELINE_LIMITS.inputDepth} levels` };
    return { ok: false, errors: [faultAt(['inputs'], words)] };
  }
  const errors = [...sizeFaults(given), ...unknownInputs(definition, given)];
  const members: [string, Json][] = [];
  for (const [name, declaration] of definition.inputs) {
    const value = valueOf(name, declaration, given);
    if (value !== null) members.push([name, value]);
    errors.push(...faultsOf(name, declaration, value));
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, inputs: Object.fromEntries(members) };
}

function valueOf(name: string, declaration: InputDeclaration, given: JsonObject): Json {
  const own = Object.hasOwn(given, name) ? given[name] : undefined;
  return own ?? declaration.default ?? null;
}

function faultsOf(name: string, declaration: InputDeclaration, value: Json): readonly PipelineFault[] {
  const path = ['inputs', name];
  if (value !== null) return inputFaults(declaration, value).map((words) => faultAt(path, words));
  if (!declaration.required) return [];
  return [faultAt(path, { code: 'missing', found: 'nothing', expected: `a value of type ${declaration.type}` })];
}

function unknownInputs(definition: PipelineDefinition, given: JsonObject): readonly PipelineFault[] {
  const names = [...definition.inputs.keys()];
  return Object.keys(given)
    .filter((name) => !definition.inputs.has(name))
    .slice(0, MAX_UNKNOWN_INPUTS)
    .map((name) => {
      const words = { code: 'unknown_input', found: 'an input that is not declared', expected: oneOf(names) };
      return faultAt(['inputs', name], { ...words, similar: { to: name, among: names } });
    });
}

function sizeFaults(given: JsonObject): readonly PipelineFault[] {
  const size = JSON.stringify(given).length;
  const limit = PIPELINE_LIMITS.inputChars;
  if (size <= limit) return [];
  const hint = 'store large content elsewhere and pass its address';
  return [faultAt(['inputs'], { code: 'too_large', found: `${size} characters`, expected: `at most ${limit}`, hint })];
}

/** What is nested deeper would overflow the stack of everything that walks it later. */
function isDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}
