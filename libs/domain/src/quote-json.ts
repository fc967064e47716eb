/** Shorter texts are written down faster than they are looked through. */
const SHORT = 32;

/** What JSON escapes beside quotation marks, backslashes and line ends; half of a pair it escapes too. */
const OTHERWISE_ESCAPED = /[\0-\x09\x0b-\x1f]/;

/**
 * `JSON.stringify` of a text, the same to the byte. That looks each char up; most long texts have nothing to escape but line ends,
 * and what finds those looks at many chars at once.
 */
export function quoteJson(text: string): string {
  const isPlain =
    text.length >= SHORT &&
    !text.includes('"') &&
    !text.includes('\\') &&
    !OTHERWISE_ESCAPED.test(text) &&
    text.isWellFormed();
  return isPlain ? `"${text.replaceAll('\n', '\\n')}"` : JSON.stringify(text);
}
