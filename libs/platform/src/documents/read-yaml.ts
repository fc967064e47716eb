import { isNode, isScalar, Lexer, LineCounter, parseDocument, visit, type Document, type YAMLError } from 'yaml';
import { jsonSchema, placeWords, unfitJson, UNFIT_WORDS, type Json } from '#libs/domain';

/** The reader is slow: what these let through takes it a second or two. None is meant to be felt. */
export const YAML_LIMITS = {
  chars: 2_000_000,
  /** Marks, scalars and spaces: seven for a key with its value in a line. A long text counts as one. */
  lexemes: 150_000,
  /** How often all aliases of a document may stand for something, counted with what is inside. */
  aliases: 100,
  faults: 50,
} as const;

/** `code` is the reader's or one of ours, lower case; `line` and `column` count from 1, null where there is no place. */
export type YamlFault = {
  readonly code: string;
  readonly detail: string;
  readonly line: number | null;
  readonly column: number | null;
};

export type ReadYaml =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly faults: readonly YamlFault[] };

/**
 * YAML 1.2 (and so JSON) text as JSON, within `YAML_LIMITS`. Aliases are unfolded; merge keys, tags of one's own, dates and
 * binary are those of other versions and not read, whatever a `%YAML` line says. Nothing at all reads as null. Never throws.
 */
export function readYaml(text: string): ReadYaml {
  const size = sizeFault(text);
  if (size !== null) return refused(size);
  try {
    return read(text);
  } catch (error) {
    // The reader calls itself for each level.
    if (error instanceof RangeError) return refused(TOO_DEEP);
    throw error;
  }
}

const refused = (...faults: YamlFault[]): ReadYaml => ({ ok: false, faults });
const fault = (code: string, detail: string): YamlFault => ({ code, detail, line: null, column: null });
const TOO_DEEP = fault('too_deep', 'values are nested too deep to be read');

function sizeFault(text: string): YamlFault | null {
  const { chars, lexemes } = YAML_LIMITS;
  if (text.length > chars)
    return fault('too_large', `the text has ${text.length} characters, at most ${chars} are read`);
  let seen = 0;
  for (const _ of new Lexer().lex(text)) {
    seen += 1;
    if (seen > lexemes) return fault('too_large', 'there are too many keys and values for YAML; send them as JSON');
  }
  return null;
}

function read(text: string): ReadYaml {
  const lines = new LineCounter();
  // The reader compares each key with all others: we look for repeated ones ourselves.
  const options = {
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  } as const;
  const document = parseDocument(text, options);
  const at = (offset: number): Pick<YamlFault, 'line' | 'column'> => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  if (document.errors.some(({ message }) => /call stack/i.test(message))) return refused(TOO_DEEP);
  const found = [
    ...[...document.errors, ...document.warnings].map((found) => ({ ...wordsOf(found), ...at(found.pos[0]) })),
    ...keyFaults(document, at),
  ];
  return found.length > 0 ? refused(...found.slice(0, YAML_LIMITS.faults)) : unfolded(document);
}

function wordsOf({ code, message }: YAMLError): { code: string; detail: string } {
  const [first = message] = message.split('\n');
  return { code: code.toLowerCase(), detail: first.replace(/:$/, '') };
}

function unfolded(document: Document): ReadYaml {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: YAML_LIMITS.aliases });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const { message } = error;
    if (!message.startsWith('Excessive')) return refused(fault('bad_alias', message));
    return refused(fault('too_many_aliases', 'aliases unfold into too much'));
  }
  return checked(value);
}

function checked(value: unknown): ReadYaml {
  const unfit = unfitJson(value, YAML_LIMITS.lexemes);
  if (unfit !== null)
    return refused(fault(unfit.reason, `${UNFIT_WORDS[unfit.reason]} (at ${placeWords(unfit.path)})`));
  const json = jsonSchema.safeParse(value);
  return json.success
    ? { ok: true, value: json.data }
    : refused(fault('not_json', 'a value is there that JSON has no word for'));
}

/** Keys that are lists or objects, and keys that stand twice in one object. */
function keyFaults(document: Document, at: (offset: number) => Pick<YamlFault, 'line' | 'column'>): YamlFault[] {
  const faults: YamlFault[] = [];
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const place = at(isNode(key) ? (key.range?.[0] ?? 0) : 0);
        const name = isScalar(key) ? keyText(key.value) : null;
        if (name === null) faults.push({ code: 'bad_key', detail: 'a key must be text', ...place });
        else if (seen.has(name))
          faults.push({
            code: 'duplicate_key',
            detail: `the key ${JSON.stringify(name.slice(0, 60))} is there twice`,
            ...place,
          });
        else seen.add(name);
      }
    },
  });
  return faults;
}

/** As the key of an object will read. */
function keyText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** `at line 3, column 7: the key "a" is there twice`. */
export function yamlFaultText({ detail, line, column }: YamlFault): string {
  return line === null ? detail : `at line ${line}, column ${column ?? 1}: ${detail}`;
}
