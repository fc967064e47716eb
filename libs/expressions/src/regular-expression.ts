import { RE2JS } from 're2js';

const MAX_PATTERN_CHARS = 1_000;
const MAX_CACHED_PATTERNS = 500;
const compiled = new Map<string, RE2JS>();

/**
 * True when the pattern matches anywhere in the text. RE2 takes time linear in the text: a backtracking engine here
 * blocked the process for minutes on one bad pattern.
 * @throws Error when the pattern is not RE2 syntax or longer than 1,000 code units.
 */
export function matchesRegularExpression(text: string, pattern: string): boolean {
  return compiledPattern(pattern).test(text);
}

function compiledPattern(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  if (pattern.length > MAX_PATTERN_CHARS) {
    throw new Error(`the pattern has ${pattern.length} characters, at most ${MAX_PATTERN_CHARS} are allowed`);
  }
  const fresh = RE2JS.compile(pattern);
  if (compiled.size >= MAX_CACHED_PATTERNS) compiled.clear();
  compiled.set(pattern, fresh);
  return fresh;
}
