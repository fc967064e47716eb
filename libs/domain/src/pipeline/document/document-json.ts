import type { Json } from '../../json.js';
import { describeValue, faultAt, type FaultPath } from '../fault-writer.js';
import type { PipelineFault } from '../pipeline-fault.js';
import { PIPELINE_LIMITS } from '../pipeline-limits.js';

export type DocumentJson =
  { readonly ok: true; readonly json: Json } | { readonly ok: false; readonly fault: PipelineFault };

/**
 * Copies what a YAML or JSON reader gave into plain JSON, within the limits of size and depth: aliases of YAML are
 * shared objects, and a few lines of them can stand for billions of values, or for a circle.
 */
export function toDocumentJson(document: unknown): DocumentJson {
  try {
    return { ok: true, json: copy(document, [], { values: 0, chars: 0 }) };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, fault: error.fault };
    throw error;
  }
}

class Refusal extends Error {
  constructor(readonly fault: PipelineFault) {
    super(fault.detail);
  }
}

type Sum = { values: number; chars: number };

function copy(value: unknown, path: FaultPath, sum: Sum): Json {
  count(path, sum, typeof value === 'string' ? value.length : 0);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return wellFormed(value, path);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((element, index) => copy(element, [...path, index], sum));
  if (typeof value === 'object' && isPlain(value)) return copyObject(value, path, sum);
  const found = typeof value === 'object' ? 'an object of a class' : describeOdd(value);
  throw new Refusal(
    faultAt(path, { code: 'not_json', found, expected: 'text, a number, true, false, null, a list or an object' }),
  );
}

function describeOdd(value: unknown): string {
  return typeof value === 'number' ? String(value) : typeof value === 'undefined' ? 'nothing' : `a ${typeof value}`;
}

function copyObject(value: object, path: FaultPath, sum: Sum): Json {
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    count(path, sum, key.length);
    wellFormed(key, path);
    members.push([key, copy(member, [...path, key], sum)]);
  }
  return Object.fromEntries(members);
}

function count(path: FaultPath, sum: Sum, chars: number): void {
  sum.values += 1;
  sum.chars += chars;
  const { documentValues, documentChars, documentDepth } = PIPELINE_LIMITS;
  if (sum.values > documentValues) throw tooLarge([], `over ${documentValues} values`, `at most ${documentValues}`);
  if (sum.chars > documentChars) throw tooLarge([], `over ${documentChars} characters`, `at most ${documentChars}`);
  if (path.length > documentDepth) {
    throw tooLarge(path.slice(0, 4), `values over ${documentDepth} levels deep`, `at most ${documentDepth} levels`);
  }
}

function tooLarge(path: FaultPath, found: string, expected: string): Refusal {
  return new Refusal(
    faultAt(path, { code: 'document_too_large', found, expected, hint: 'split the pipeline into child pipelines' }),
  );
}

function wellFormed(text: string, path: FaultPath): string {
  if (!/\p{Surrogate}/u.test(text)) return text;
  const found = `half of a surrogate pair in ${describeValue(text)}`;
  throw new Refusal(faultAt(path, { code: 'not_well_formed', found, expected: 'well-formed Unicode text' }));
}

/** Objects of JSON readers, of any realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
