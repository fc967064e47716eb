import { z } from 'zod';

/** A JSON value. Numbers are doubles; strings may be any UTF-16, the store escapes what Postgres cannot hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export const jsonSchema: z.ZodType<Json> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(jsonSchema), z.record(z.string(), jsonSchema)]),
);
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), jsonSchema);

/**
 * `JSON.parse` with the type of what it gives. @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): Json;
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}
