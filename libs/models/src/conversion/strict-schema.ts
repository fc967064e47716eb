import { isJsonObject, type Json, type JsonObject } from '#libs/domain';

const KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'description',
  'title',
  'anyOf',
  '$defs',
  '$ref',
]);

/**
 * Whether a schema is one that OpenAI's strict mode takes: objects are closed and require all their properties, only plain
 * keywords. Others are sent without it: they guide the model, and the answer is checked here anyway.
 */
export function isStrictSchema(schema: JsonObject): boolean {
  return schema['type'] === 'object' && isStrict(schema, 0);
}

function isStrict(schema: Json | undefined, depth: number): boolean {
  if (!isJsonObject(schema) || depth > 10 || Object.keys(schema).some((key) => !KEYWORDS.has(key))) return false;
  const { properties, required, items, anyOf, $defs: definitions } = schema;
  if (schema['type'] === 'object') {
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    const isClosed = schema['additionalProperties'] === false;
    if (!isClosed || !Array.isArray(required) || names.some((name) => !required.includes(name))) return false;
  }
  const inner = [
    ...(isJsonObject(properties) ? Object.values(properties) : []),
    ...(items === undefined ? [] : [items]),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(isJsonObject(definitions) ? Object.values(definitions) : []),
  ];
  return inner.every((part) => isStrict(part, depth + 1));
}
