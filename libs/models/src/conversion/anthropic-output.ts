import { isJsonObject, parseJson, type JsonObject } from '#libs/domain';
import type { ToolDeclaration } from '#libs/context';
import type { ModelCallSettings } from '#libs/engine';
import type { ReceivedAnswer } from '../answer/received-answer.js';
import { closedSchema } from './closed-schema.js';

/**
 * How a model is held to a schema: `format`, the API itself constrains the text; `tool`, the answer is the arguments of a
 * tool that is added for it; `prompt`, it is only asked. Null: there is no schema.
 */
export type OutputForm =
  | { kind: 'format'; schema: JsonObject }
  | { kind: 'tool'; tool: ToolDeclaration; isWrapped: boolean; isForced: boolean }
  | { kind: 'prompt'; instruction: string };

type Given = {
  settings: Pick<ModelCallSettings, 'outputSchema' | 'reasoning' | 'toolChoice'>;
  tools: readonly ToolDeclaration[];
  /** The model takes `output_config.format`: the catalogue or the operator says so. */
  takesSchema: boolean;
};

const ANSWER_TOOL = 'final_answer';
const WRAPPED = 'value';

export function outputForm({ settings, tools, takesSchema }: Given): OutputForm | null {
  const { outputSchema: schema, toolChoice } = settings;
  if (schema === null) return null;
  const native = takesSchema ? closedSchema(schema) : null;
  if (native !== null) return { kind: 'format', schema: native };
  // A tool cannot be forced on a model that thinks, and those that take schemas may think without being asked to.
  const isForced = !takesSchema && !mayThink(settings.reasoning);
  if (!isForced && toolChoice === 'none') return { kind: 'prompt', instruction: instructionFor(schema) };
  const isWrapped = !isPlainObject(schema);
  const tool = { name: freeName(tools), description: DESCRIPTION, parameters: isWrapped ? wrapped(schema) : schema };
  return { kind: 'tool', tool, isWrapped, isForced };
}

/** The answer that came as a call of the answer tool, put where text stands; anything said before it goes into the payload. */
export function takeAnswer(answer: ReceivedAnswer, { tool, isWrapped }: Extract<OutputForm, { kind: 'tool' }>): void {
  const text = answer.takeCall(tool.name);
  if (text === null) return;
  const said = answer.replaceText(isWrapped ? unwrapped(text) : text === '' ? '{}' : text);
  if (said !== '') answer.payload['said_before_answer'] = said;
  if (answer.finishReason === 'tool_calls' && answer.message.tool_calls.length === 0) answer.finishReason = 'stop';
}

const DESCRIPTION =
  'Gives the final answer. Call it once, with the whole answer, when nothing else is left to do; do not answer in text.';

function instructionFor(schema: JsonObject): string {
  return `Your final answer must be one JSON value that fits this JSON Schema, and nothing else: no text around it, no code fence.\n${JSON.stringify(schema)}`;
}

/** `{ effort }` alone does not make a model think; `{ type: "disabled" }` says that it does not. */
function mayThink(reasoning: ModelCallSettings['reasoning']): boolean {
  return isJsonObject(reasoning) && reasoning['type'] !== undefined && reasoning['type'] !== 'disabled';
}

/** What the API takes as a tool's schema without leaving anything out. */
const isPlainObject = (schema: JsonObject): boolean =>
  schema['type'] === 'object' && !['oneOf', 'anyOf', 'allOf', '$ref'].some((key) => key in schema);

/** References inside go on pointing to the root, where the definitions stay. */
function wrapped({ $defs, definitions, ...schema }: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: { [WRAPPED]: schema },
    required: [WRAPPED],
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

function unwrapped(text: string): string {
  try {
    const value = parseJson(text);
    return isJsonObject(value) && value[WRAPPED] !== undefined ? JSON.stringify(value[WRAPPED]) : text;
  } catch {
    // Cut or broken: it is looked at as it is.
    return text;
  }
}

function freeName(tools: readonly ToolDeclaration[]): string {
  const taken = new Set(tools.map(({ name }) => name));
  let name = ANSWER_TOOL;
  for (let n = 2; taken.has(name); n += 1) name = `${ANSWER_TOOL}_${n}`;
  return name;
}
