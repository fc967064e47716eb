import { isJsonObject, type JsonObject } from '#libs/domain';
import { jsonValue } from './json-value.js';
import type { SchemaValidator } from './schema-validator.js';

export type ParsedArguments = { ok: true; args: JsonObject } | { ok: false; detail: string };

const MAX_ARGUMENT_CHARS = 1_048_576;

/**
 * The string as received → arguments that fit the schema. Nothing but white space counts as `{}`: some providers send
 * an empty string for a call without arguments. `detail` is a sentence for the model.
 */
export function parseArguments(validator: SchemaValidator, parameters: JsonObject, text: string): ParsedArguments {
  if (text.length > MAX_ARGUMENT_CHARS) {
    return {
      ok: false,
      detail: `The arguments have ${text.length} characters; at most ${MAX_ARGUMENT_CHARS} are allowed.`,
    };
  }
  const parsed = text.trim() === '' ? { ok: true as const, value: {} } : jsonValue(text);
  if (!parsed.ok)
    return { ok: false, detail: `The arguments are not valid JSON (${parsed.detail}). Send one JSON object.` };
  if (!isJsonObject(parsed.value)) {
    return { ok: false, detail: 'The arguments must be one JSON object, for example {"name": "value"}.' };
  }
  const fits = validator.validate(parameters, parsed.value);
  if (fits.ok) return { ok: true, args: parsed.value };
  return { ok: false, detail: `The arguments do not fit the tool's schema: ${fits.detail}.` };
}
