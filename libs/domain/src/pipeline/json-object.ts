import type { Json, JsonObject } from '../json.js';

/** True for objects; false for lists, null, scalars and `undefined`. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
