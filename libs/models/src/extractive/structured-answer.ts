import { extractiveAnswer } from '#libs/context';
import { isJsonObject, textOf, type Json, type JsonObject } from '#libs/domain';
import type { ExtractiveReading } from './read-request.js';

type Made = { ok: true; value: Json } | { ok: false; at: string };

const MAX_DEPTH = 8;

/**
 * A value that fits a simple JSON Schema, by rules a reader can follow:
 * `const`, `default` as given · `enum` by `chooseLabel` · strings by sentences of the texts · booleans: is it a question ·
 * numbers: the first one in the question, else the lower bound · lists: empty, or as many elements as they must have ·
 * objects: all their declared properties. Anything else is refused with the place where it stands.
 */
export function structuredAnswer(schema: JsonObject, reading: ExtractiveReading, place = 'output'): Made {
  return make(schema, reading, place, 0);
}

function make(schema: Json | undefined, reading: ExtractiveReading, at: string, depth: number): Made {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return { ok: false, at };
  const { const: constant, default: byDefault, enum: labels } = schema;
  if (constant !== undefined) return { ok: true, value: constant };
  if (Array.isArray(labels))
    return labels.length === 0 ? { ok: false, at } : { ok: true, value: chooseLabel(labels, reading.question) };
  if (byDefault !== undefined) return { ok: true, value: byDefault };
  return MAKERS.get(typeOf(schema))?.(schema, reading, at, depth) ?? { ok: false, at };
}

type Maker = (schema: JsonObject, reading: ExtractiveReading, at: string, depth: number) => Made;

/** How a value of each type is made. */
const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['object', makeObject],
  ['array', makeList],
  ['string', (schema, reading) => ({ ok: true, value: makeText(schema, reading) })],
  ['boolean', (_, reading) => ({ ok: true, value: isQuestion(reading.question) })],
  ['number', (schema, reading) => ({ ok: true, value: makeNumber(schema, reading.question) })],
  ['integer', (schema, reading) => ({ ok: true, value: Math.trunc(makeNumber(schema, reading.question)) })],
  ['null', () => ({ ok: true, value: null })],
]);

/** Of several types the first that is not null; a schema with properties is one of an object. */
function typeOf(schema: JsonObject): string {
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
  const type = types.find((name) => typeof name === 'string' && name !== 'null') ?? types[0];
  if (typeof type === 'string') return type;
  return isJsonObject(schema['properties']) ? 'object' : '';
}

function makeObject(schema: JsonObject, reading: ExtractiveReading, at: string, depth: number): Made {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const value: JsonObject = {};
  for (const [name, property] of Object.entries(properties)) {
    const made = make(property, reading, `${at}.${name}`, depth + 1);
    if (made.ok) value[name] = made.value;
    else if (required.includes(name)) return made;
  }
  const missing = required.find((name) => typeof name === 'string' && !Object.hasOwn(value, name));
  return missing === undefined ? { ok: true, value } : { ok: false, at: `${at}.${textOf(missing)}` };
}

function makeList(schema: JsonObject, reading: ExtractiveReading, at: string, depth: number): Made {
  const length = typeof schema['minItems'] === 'number' ? Math.min(schema['minItems'], 100) : 0;
  const value: Json[] = [];
  for (let index = 0; index < length; index += 1) {
    const made = make(schema['items'], reading, `${at}[${index}]`, depth + 1);
    if (!made.ok) return made;
    value.push(made.value);
  }
  return { ok: true, value };
}

function makeText(schema: JsonObject, reading: ExtractiveReading): string {
  const maxChars = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : 2_000;
  return [...extractiveAnswer({ ...reading, maxChars }).text].slice(0, maxChars).join('');
}

function makeNumber(schema: JsonObject, question: string): number {
  const found = Number(/-?\d+(?:\.\d+)?/.exec(question)?.[0] ?? Number.NaN);
  const low = typeof schema['minimum'] === 'number' ? schema['minimum'] : null;
  const high = typeof schema['maximum'] === 'number' ? schema['maximum'] : null;
  return Number.isNaN(found) ? (low ?? 0) : Math.min(Math.max(found, low ?? found), high ?? found);
}

/**
 * Chooses a label for a text: the one that shares most words with it; without any, one that is named for what the text
 * is (a question, small talk, a request, a complaint); else one named other, unknown or none; else the last.
 */
export function chooseLabel(labels: readonly Json[], text: string): Json {
  const words = new Set(wordsOf(text));
  const shared = labels.map((label) => wordsOf(textOf(label)).filter((word) => words.has(word)).length);
  const most = Math.max(...shared);
  if (most > 0) return labels[shared.indexOf(most)] ?? null;
  const kind = NAMES_OF_KINDS[kindOf(text)];
  const byKind = labels.find((label) => kind.test(textOf(label)));
  return (
    byKind ?? labels.find((label) => /other|unknown|none|misc|general/i.test(textOf(label))) ?? labels.at(-1) ?? null
  );
}

type TextKind = 'question' | 'small_talk' | 'statement';

const NAMES_OF_KINDS: { [kind in TextKind]: RegExp } = {
  question: /question|ask|query|search|inform|help|support|lookup/i,
  small_talk: /small.?talk|chat|greet|hello|thank|social/i,
  statement: /statement|comment|feedback|request|task|issue|problem/i,
};

function kindOf(text: string): TextKind {
  if (SMALL_TALK.test(text.trim()) && !/[?？]/.test(text)) return 'small_talk';
  return isQuestion(text) ? 'question' : 'statement';
}

const SMALL_TALK =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|thanks?|thank you|bye|goodbye|cheers|nice|great|ok(?:ay)?|cool|hallo|danke|bonjour|merci|hola|gracias)\b/i;
const QUESTION =
  /[?？]|^(?:who|what|when|where|why|which|whose|how|can|could|do|does|did|is|are|was|were|will|would|should|may|tell me|show me|explain|find|list)\b/i;

const isQuestion = (text: string): boolean => QUESTION.test(text.trim());
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
