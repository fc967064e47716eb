import type { Json, JsonObject } from '../../json.js';
import { DURATION_PATTERN, expectedDuration, parseDurationMs } from '../duration.js';
import { describeValue, type FaultPath } from '../fault-writer.js';
import { isJsonObject } from '../json-object.js';
import { parseTemplate, type Template } from '../template.js';
import type { ExpressionUse, Place, Reading } from './reading.js';

/**
 * The keys of one object of the document, read tolerantly: a value of the wrong type reads as absent, since the schema
 * has already said so. Templates and expressions are registered with the place they stand in.
 */
export class Fields {
  constructor(
    private readonly object: JsonObject,
    readonly path: FaultPath,
    readonly reading: Reading,
    private readonly place: Place,
  ) {}

  keys(): readonly string[] {
    return Object.keys(this.object);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.object, key);
  }

  raw(key: string): Json | undefined {
    return this.has(key) ? this.object[key] : undefined;
  }

  at(key: string): FaultPath {
    return [...this.path, key];
  }

  text(key: string): string | null {
    const value = this.raw(key);
    return typeof value === 'string' ? value : null;
  }

  number(key: string): number | null {
    const value = this.raw(key);
    return typeof value === 'number' ? value : null;
  }

  flag(key: string): boolean | null {
    const value = this.raw(key);
    return typeof value === 'boolean' ? value : null;
  }

  json(key: string): Json {
    return this.raw(key) ?? null;
  }

  jsonObject(key: string): JsonObject | null {
    const value = this.raw(key);
    return isJsonObject(value) ? value : null;
  }

  /** Null when the key is absent; elements that are no text are left out. */
  texts(key: string): readonly string[] | null {
    const value = this.raw(key);
    return Array.isArray(value) ? value.filter((element) => typeof element === 'string') : null;
  }

  choice<T extends string>(key: string, options: readonly T[], otherwise: T): T {
    const value = this.raw(key);
    return options.find((option) => option === value) ?? otherwise;
  }

  /** The schema has spoken about the form; a range fault is added for durations that are too long or too short. */
  durationMs(key: string, minimumMs: number): number | null {
    const text = this.text(key);
    if (text === null || !DURATION_PATTERN.test(text)) return null;
    const duration = parseDurationMs(text);
    if (duration !== null && duration >= minimumMs) return duration;
    const expected = duration === null ? expectedDuration(text) : `at least ${minimumMs}ms`;
    this.reading.fault(this.at(key), { code: 'out_of_range', found: describeValue(text), expected });
    return null;
  }

  /** The same object, its expressions in another place. */
  in(place: Place): Fields {
    return new Fields(this.object, this.path, this.reading, place);
  }

  /** The fields of an object below; null when it is none. */
  child(key: string, place: Place = this.place): Fields | null {
    const value = this.jsonObject(key);
    return value === null ? null : new Fields(value, this.at(key), this.reading, place);
  }

  /** The members of an object below that are objects themselves. */
  children(key: string): readonly (readonly [string, Fields])[] {
    const value = this.jsonObject(key) ?? {};
    return Object.entries(value).flatMap(([name, member]): [string, Fields][] =>
      isJsonObject(member) ? [[name, new Fields(member, [...this.path, key, name], this.reading, this.place)]] : [],
    );
  }

  template(key: string, expects: ExpressionUse['expects'] = 'any'): Template {
    const value = this.json(key);
    registerTemplate(value, this.at(key), { reading: this.reading, place: this.place, expects });
    return value;
  }

  templateText(key: string): string | null {
    const value = this.text(key);
    if (value !== null) this.template(key);
    return value;
  }

  /** A bare expression; `${…}` around all of it is taken off, and true and false are expressions too. */
  expression(key: string): string | null {
    const value = this.raw(key);
    if (typeof value !== 'string' && typeof value !== 'boolean') return null;
    const source = withoutBraces(String(value));
    this.reading.expressions.push({ path: this.at(key), source, place: this.place, expects: 'boolean' });
    return source;
  }
}

type Registration = { readonly reading: Reading; readonly place: Place; readonly expects: ExpressionUse['expects'] };

/** Registers the expressions of all strings of a JSON value. */
export function registerTemplate(value: Json, path: FaultPath, registration: Registration): void {
  if (typeof value === 'string') return registerText(value, path, registration);
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    if (key.includes('${')) {
      const words = { code: 'template_in_key', found: describeValue(key), expected: 'a plain key' };
      registration.reading.fault([...path, key], {
        ...words,
        hint: 'keys are not expanded; build the object with transform',
      });
    }
    registerTemplate(member, [...path, isList ? Number(key) : key], { ...registration, expects: 'any' });
  }
}

function registerText(text: string, path: FaultPath, { reading, place, expects }: Registration): void {
  const parsed = parseTemplate(text);
  if (!parsed.ok) {
    const found = `${describeValue(text)}, character ${parsed.position + 1}`;
    reading.fault(path, { code: 'bad_template', found, expected: '"${" with its "}"', hint: parsed.detail });
    return;
  }
  const isWhole = parsed.parts.length === 1;
  for (const part of parsed.parts) {
    if (part.type !== 'expression') continue;
    reading.expressions.push({ path, source: part.source.trim(), place, expects: isWhole ? expects : 'any' });
  }
}

function withoutBraces(source: string): string {
  const parsed = parseTemplate(source.trim());
  const only = parsed.ok && parsed.parts.length === 1 ? parsed.parts[0] : undefined;
  return only?.type === 'expression' ? only.source.trim() : source.trim();
}
