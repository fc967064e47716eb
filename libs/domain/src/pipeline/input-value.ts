import type { Json } from '../json.js';
import { describeValue, oneOf, type FaultWords } from './fault-writer.js';
import { isJsonObject } from './json-object.js';
import { canonicalJson } from '../canonical-json.js';
import type { InputDeclaration, InputType } from './pipeline-definition.js';

/** What is wrong with a value for a declared input; empty when nothing is. */
export function inputFaults(declaration: InputDeclaration, value: Json): readonly FaultWords[] {
  if (!isOfType(declaration.type, value)) {
    return [{ code: 'wrong_type', found: describeValue(value), expected: TYPE_WORDS[declaration.type] }];
  }
  return [...enumFaults(declaration, value), ...boundFaults(declaration, value), ...textFaults(value)];
}

const TYPE_WORDS: { readonly [type in InputType]: string } = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

function isOfType(type: InputType, value: Json): boolean {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    case 'integer':
      return Number.isSafeInteger(value);
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
  }
}

function enumFaults(declaration: InputDeclaration, value: Json): readonly FaultWords[] {
  if (declaration.enum === null) return [];
  const written = canonicalJson(value);
  if (declaration.enum.some((option) => canonicalJson(option) === written)) return [];
  const expected = oneOf(declaration.enum.map((option) => JSON.stringify(option)));
  return [{ code: 'not_in_enum', found: describeValue(value), expected }];
}

function boundFaults(declaration: InputDeclaration, value: Json): readonly FaultWords[] {
  const { minLength, maxLength, min, max, minItems, maxItems } = declaration;
  if (typeof value === 'string') return outside(codePoints(value), minLength, maxLength, ' characters');
  if (typeof value === 'number') return outside(value, min, max, '');
  if (Array.isArray(value)) return outside(value.length, minItems, maxItems, ' elements');
  return [];
}

function outside(size: number, low: number | null, high: number | null, unit: string): readonly FaultWords[] {
  const found = `${size}${unit}`;
  if (low !== null && size < low) return [{ code: 'out_of_range', found, expected: `at least ${low}${unit}` }];
  if (high !== null && size > high) return [{ code: 'out_of_range', found, expected: `at most ${high}${unit}` }];
  return [];
}

/** Text that is not well-formed cannot be shown to a model byte for byte (law C8), so it is refused at the door. */
function textFaults(value: Json): readonly FaultWords[] {
  if (!hasLoneSurrogate(value)) return [];
  return [{ code: 'not_well_formed', found: 'half of a surrogate pair', expected: 'well-formed Unicode text' }];
}

function hasLoneSurrogate(value: Json): boolean {
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => /\p{Surrogate}/u.test(key) || hasLoneSurrogate(member));
}

/** Unicode code points. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
