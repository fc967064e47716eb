import { RE2JS } from 're2js';

const MAX_PATTERN_CHARS = 1_000;

/** What ajv calls for `pattern` and `patternProperties` instead of `new RegExp`. */
type RegExpEngine = {
  (pattern: string, flags: string): { test(text: string): boolean };
  /** Only used by ajv's standalone code, which is not used here. */
  code: string;
};

/** RE2 takes time linear in the text; look-around and back-references are refused when the schema is compiled. */
export const linearRegExp: RegExpEngine = Object.assign(
  (pattern: string) => {
    if (pattern.length > MAX_PATTERN_CHARS) {
      throw new Error(`a pattern has ${pattern.length} chars, at most ${MAX_PATTERN_CHARS} are allowed`);
    }
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    // ajv keeps compiled patterns under their toString(): without one of its own each schema would get the first pattern.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => `linear:${pattern}` };
  },
  { code: 'linearRegExp' },
);
