import { describeValue } from '../fault-writer.js';
import { AGENT_NAME_WORDS, TOOL_NAME_PATTERN } from '../names.js';
import type { AgentDefinition } from '../pipeline-definition.js';
import { DEFAULT_MAX_TURNS } from '../pipeline-limits.js';
import type { Fields } from './fields.js';

/** `fields` stand in the place `agent`: the system prompt sees `inputs` and `run`. */
export function readAgent(name: string, fields: Fields): AgentDefinition {
  const { reading } = fields;
  if (!TOOL_NAME_PATTERN.test(name)) {
    reading.fault(fields.path, { code: 'bad_name', found: describeValue(name), expected: AGENT_NAME_WORDS });
  }
  return {
    name,
    ...readModels(fields),
    systemPrompt: fields.templateText('system_prompt'),
    tools: fields.texts('tools') ?? [],
    outputSchema: readSchema(fields, 'output_schema'),
    maxTurns: fields.number('max_turns') ?? DEFAULT_MAX_TURNS,
    onMaxTurns: fields.choice('on_max_turns', ['answer', 'fail'], 'answer'),
    maxToolCallsPerTurn: fields.number('max_tool_calls_per_turn'),
    context: readContext(fields, 'agent'),
    sampling: {
      temperature: fields.number('temperature'),
      maxOutputTokens: fields.number('max_output_tokens'),
      stop: fields.texts('stop'),
      reasoning: fields.json('reasoning'),
      extra: fields.jsonObject('extra'),
    },
  };
}

function readModels(fields: Fields): Pick<AgentDefinition, 'model' | 'fallbackModels'> {
  const fallbackModels = fields.texts('fallback_models') ?? [];
  for (const [index, name] of fallbackModels.entries()) {
    fields.reading.models.push({ path: [...fields.at('fallback_models'), index], name });
  }
  return { model: readModel(fields), fallbackModels };
}

/** Registers the model for the check of connections. */
export function readModel(fields: Fields): string | null {
  const name = fields.text('model');
  if (name !== null) fields.reading.models.push({ path: fields.at('model'), name });
  return name;
}

/** Registers the policy for the injected check. */
export function readContext(fields: Fields, level: 'step' | 'agent' | 'pipeline') {
  const value = fields.jsonObject('context');
  if (value !== null) fields.reading.contexts.push({ path: fields.at('context'), level, value });
  return value;
}

/** Registers the schema for the injected check. */
export function readSchema(fields: Fields, key: string) {
  const value = fields.jsonObject(key);
  if (value !== null) fields.reading.schemas.push({ path: fields.at(key), value });
  return value;
}
