import { isJsonObject, type JsonObject } from '#libs/domain';
import type { EngineDeps } from './engine-deps.js';

/** An object as it may be stored: rows of runs hold no more than their events. */
export function redactedObject({ redact }: Pick<EngineDeps, 'redact'>, value: JsonObject): JsonObject {
  const redacted = redact(value);
  return isJsonObject(redacted) ? redacted : {};
}
