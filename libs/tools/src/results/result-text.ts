import type { Content, Json } from '#libs/domain';
import type { ToolOutcome } from '#libs/engine';
import { toolError } from './tool-error.js';

/** UTF-8 bytes of one result, whatever its kind. Source: design/durability.md. */
export const MAX_RESULT_BYTES = 1_048_576;

/** Structured values become JSON text; text stays as it is. */
export function resultText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The result, or an error with advice when it is too large: nothing is cut silently. */
export function boundedResult(content: Content): ToolOutcome {
  const bytes = Buffer.byteLength(typeof content === 'string' ? content : JSON.stringify(content));
  return bytes > MAX_RESULT_BYTES ? tooLarge(bytes) : { status: 'ok', content };
}

/** `bytes` null: more than could be counted before reading stopped. */
export function tooLarge(bytes: number | null): ToolOutcome {
  const size = bytes === null ? `more than ${MAX_RESULT_BYTES}` : String(bytes);
  return toolError(
    `the result has ${size} bytes, at most ${MAX_RESULT_BYTES} are allowed. Ask for less: a filter, fewer fields, a smaller page or range.`,
  );
}
