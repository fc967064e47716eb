import { Optional } from '@marcbachmann/cel-js';
import type { Json } from '#libs/domain';

export const MAX_RESULT_CHARS = 16_000_000;
const MAX_RESULT_NODES = 1_000_000;
const MAX_RESULT_DEPTH = 200;

export type JsonResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly reason: 'too_large' | 'not_json'; readonly detail: string };

class Refused extends Error {
  constructor(
    readonly reason: 'too_large' | 'not_json',
    message: string,
  ) {
    super(message);
  }
}

type Budget = { nodes: number; chars: number };

/**
 * The JSON form of what an expression gave: ints and uints become numbers, timestamps RFC 3339 text, durations text in
 * seconds (`90s`), bytes base64, an empty optional null, halves of surrogate pairs U+FFFD. Shared parts are copied, so
 * the size is bounded here: lists of lists can name the same list a million times.
 */
export function celResultToJson(value: unknown): JsonResult {
  try {
    return { ok: true, value: toJson(value, 0, { nodes: 0, chars: 0 }) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, reason: error.reason, detail: error.message };
    throw error;
  }
}

function toJson(value: unknown, depth: number, budget: Budget): Json {
  budget.nodes += 1;
  if (budget.nodes > MAX_RESULT_NODES) throw new Refused('too_large', `the result has over ${MAX_RESULT_NODES} values`);
  if (depth > MAX_RESULT_DEPTH)
    throw new Refused('too_large', `the result is nested over ${MAX_RESULT_DEPTH} levels deep`);
  switch (typeof value) {
    case 'string':
      return text(value, budget);
    case 'number':
      return finite(value);
    case 'bigint':
      return exact(value);
    case 'boolean':
      return value;
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : objectToJson(value, depth, budget);
    case 'symbol':
    case 'function':
      throw new Refused('not_json', `the result is a ${typeof value}, which JSON cannot hold`);
  }
}

function objectToJson(value: object, depth: number, budget: Budget): Json {
  if (Array.isArray(value)) return value.map((element) => toJson(element, depth + 1, budget));
  if (value instanceof Optional) return value.hasValue() ? toJson(value.value(), depth, budget) : null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return text(Buffer.from(value).toString('base64'), budget);
  if (value instanceof Set) return [...value].map((element) => toJson(element, depth + 1, budget));
  if (value instanceof Map) return entriesToJson(value.entries(), depth, budget);
  if (isPlainObject(value)) return entriesToJson(Object.entries(value), depth, budget);
  return namedTypeToJson(value);
}

/** Of any realm: tests and `vm` have an `Object` of their own. */
function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The library's own classes are told apart by their tag and by `valueOf`: it does not export them. */
function namedTypeToJson(value: object): Json {
  const primitive: unknown = value.valueOf();
  if (typeof primitive === 'bigint') return exact(primitive);
  if (isDuration(value)) return durationText(value.seconds * 1_000_000_000n + BigInt(value.nanos));
  throw new Refused('not_json', 'the result is a type or a function, which JSON cannot hold');
}

function isDuration(value: object): value is { readonly seconds: bigint; readonly nanos: number } {
  return 'seconds' in value && typeof value.seconds === 'bigint' && 'nanos' in value && typeof value.nanos === 'number';
}

/** Protobuf's JSON form: seconds with up to nine decimals and an `s`. */
function durationText(nanos: bigint): string {
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${sign}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}s`;
}

function entriesToJson(entries: Iterable<readonly [unknown, unknown]>, depth: number, budget: Budget): Json {
  const members: [string, Json][] = [];
  for (const [key, member] of entries) {
    members.push([text(String(key), budget), toJson(member, depth + 1, budget)]);
  }
  return Object.fromEntries(members);
}

function text(value: string, budget: Budget): string {
  budget.chars += value.length;
  if (budget.chars > MAX_RESULT_CHARS) {
    throw new Refused('too_large', `the result has over ${MAX_RESULT_CHARS} characters`);
  }
  return value.replace(/\p{Surrogate}/gu, '\uFFFD');
}

function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new Refused('not_json', `the result is ${value}, which JSON cannot hold`);
}

function exact(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new Refused('not_json', `the result ${value} is beyond 2^53 and would lose digits; use string(…)`);
}
