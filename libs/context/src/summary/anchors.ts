/**
 * What cannot be guessed once it is lost: addresses, paths, file names, error codes, identifiers, numbers that mean
 * something. In order of kind, so that of overlapping finds the longer kind wins. Every run is bounded: texts come from
 * anyone, and an unbounded one costs the square of its length.
 */
const PATTERNS: readonly RegExp[] = [
  /\bhttps?:\/\/[^\s<>"'`)\]}，。；]+/gu,
  /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{0,64}\w/gu,
  /(?:\b[A-Za-z]:\\|(?<![\w/])~?\.{0,2}\/)[\w@.+-]{1,80}(?:[\\/][\w@.+-]{1,80})*|\b[\w@.-]{1,80}(?:\/[\w@.+-]{1,80})+/gu,
  /\b[\w-]{1,80}\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cpp|cs|php|sh|sql|json|ya?ml|toml|ini|md|txt|csv|tsv|xml|html|css|pdf|docx?|xlsx?|png|jpe?g|gif|webp|svg|log|lock|env)\b/giu,
  /\b(?:[A-Z]\w{0,60}(?:Error|Exception)|E[A-Z]{4,}|ERR_[A-Z_]+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/gu,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/giu,
  /\b(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Za-z])[A-Za-z0-9][\w-]{4,38}[A-Za-z0-9]\b/gu,
  /(?<![\w.])#?\d[\d,.]*\d(?:\s?(?:%|°|€|\$|EUR|USD|GBP|ms|s|kg|km|GB|MB|kB))?(?![\w])/gu,
];
const MAX_ANCHOR_CHARS = 120;

/** Anchors of a text, each once, in order of kind and then of place. */
export function anchorsOf(text: string): string[] {
  const found = new Set<string>();
  let rest = text;
  for (const pattern of PATTERNS) {
    rest = rest.replace(pattern, (match) => {
      const anchor = match.replace(/[.,;:!?]+$/u, '');
      if (isTelling(anchor)) found.add(anchor);
      return ' ';
    });
  }
  return [...found];
}

/** Small numbers (line numbers, counts) and two words with a slash between them tell nothing without what stood around them. */
function isTelling(anchor: string): boolean {
  return anchor.length >= 3 && anchor.length <= MAX_ANCHOR_CHARS && !/^(?:\d{1,3}|[A-Za-z]+\/[A-Za-z]+)$/u.test(anchor);
}
