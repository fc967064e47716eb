import { isJsonObject, type Json, type JsonObject } from '#libs/domain';

const KEPT = new Set(['type', 'enum', 'const', 'description', 'title', 'required', 'format', 'default']);
/** They only narrow a value: left out here, told in the description, and checked when the answer has come. */
const NARROWING = new Set([
  ...['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
]);
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);

const MAX_DEPTH = 20;

/**
 * A schema as Anthropic's `output_config.format` takes it: every object closed, nothing that only narrows, no references.
 * What fits it is not always valid, so the answer is checked against the whole schema all the same. Null when it cannot be
 * said in that form (maps, references, tuples, conditions, another root than an object).
 */
export function closedSchema(schema: JsonObject): JsonObject | null {
  return schema['type'] === 'object' ? closed(schema, 0) : null;
}

function closed(schema: Json, depth: number): JsonObject | null {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return null;
  const result: JsonObject = {};
  const told: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (NARROWING.has(key) || (key === 'format' && !(typeof value === 'string' && FORMATS.has(value)))) {
      told.push(`${key}: ${JSON.stringify(value)}`);
    } else if (key === 'properties' || key === 'items' || key === 'anyOf') {
      const inner = closedInside(value, key, depth);
      if (inner === null) return null;
      result[key] = inner;
    } else if (KEPT.has(key)) result[key] = value;
    else if (key !== '$schema' && !(key === 'additionalProperties' && value === false)) return null;
  }
  if (schema['type'] === 'object') result['additionalProperties'] = false;
  const { description } = schema;
  if (told.length > 0)
    result['description'] = `${typeof description === 'string' ? `${description} ` : ''}(${told.join(', ')})`;
  return result;
}

function closedInside(value: Json, key: 'properties' | 'items' | 'anyOf', depth: number): Json | null {
  if (key === 'items') return closed(value, depth + 1);
  if (key === 'anyOf') {
    const parts = Array.isArray(value) ? value.map((part) => closed(part, depth + 1)) : [null];
    return parts.every((part) => part !== null) ? parts : null;
  }
  const members = isJsonObject(value) ? Object.entries(value) : [];
  const properties: JsonObject = {};
  for (const [name, part] of members) {
    const inner = closed(part, depth + 1);
    if (inner === null) return null;
    properties[name] = inner;
  }
  return properties;
}
