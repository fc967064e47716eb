const ZERO_WIDTH_JOINER = 0x200d;

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

/**
 * Length in Unicode code points: the unit of every size in Weir. Most texts have no pair of surrogates; of those that are held in
 * single bytes the engine knows that without looking.
 */
export function countCodePoints(text: string): number {
  let index = text.search(PAIR);
  if (index === -1) return text.length;
  let count = index;
  for (; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff && index + 1 < text.length) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next <= 0xdfff) index += 1;
    }
    count += 1;
  }
  return count;
}

/**
 * At most `maxChars` code points of the start of `text`, never ending inside a grapheme: combining marks, emoji
 * sequences, flags, CR LF and conjoining jamo stay together (a small form of UAX #29, written out so that the bytes do
 * not depend on the ICU of the machine). A single grapheme longer than `maxChars` is cut at a code point.
 */
export function cutStart(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = codeUnitsOf(text, maxChars);
  return cut >= text.length ? text : text.slice(0, graphemeStart(text, cut));
}

/** At most `maxChars` code points of the end of `text`, never beginning inside a grapheme. */
export function cutEnd(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const total = countCodePoints(text);
  if (total <= maxChars) return text;
  let cut = codeUnitsOf(text, total - maxChars);
  while (cut < text.length && !isBoundary(text, cut)) cut += codePointLength(text, cut);
  return text.slice(cut);
}

/** `text` in at most `maxChars` code points, with `ellipsis` where something was cut off its end. */
export function abbreviate(text: string, maxChars: number, ellipsis = '…'): string {
  if (text.length <= maxChars || countCodePoints(text) <= maxChars) return text;
  const room = Math.max(0, maxChars - countCodePoints(ellipsis));
  return cutStart(text, room) + cutStart(ellipsis, maxChars);
}

function codeUnitsOf(text: string, codePoints: number): number {
  let index = 0;
  for (let count = 0; count < codePoints && index < text.length; count += 1) index += codePointLength(text, index);
  return index;
}

/** The nearest boundary at or before `cut`; `cut` itself when the grapheme reaches back to the beginning. */
function graphemeStart(text: string, cut: number): number {
  let index = cut;
  while (index > 0 && !isBoundary(text, index)) index -= previousLength(text, index);
  return index === 0 ? cut : index;
}

function codePointLength(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

function previousLength(text: string, index: number): number {
  const low = text.charCodeAt(index - 1);
  const high = index > 1 ? text.charCodeAt(index - 2) : 0;
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff ? 2 : 1;
}

function isBoundary(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return true;
  const next = text.codePointAt(index) ?? 0;
  const before = text.codePointAt(index - previousLength(text, index)) ?? 0;
  if (before === 0x0d && next === 0x0a) return false;
  if (next < 0x300) return true;
  if (isExtending(next) || before === ZERO_WIDTH_JOINER) return false;
  if (isRegional(next) && isRegional(before)) return regionalsBefore(text, index) % 2 === 0;
  return !isJamoPair(before, next);
}

function isExtending(codePoint: number): boolean {
  return (
    codePoint === ZERO_WIDTH_JOINER ||
    (codePoint >= 0x1f3fb && codePoint <= 0x1f3ff) ||
    (codePoint >= 0xe0020 && codePoint <= 0xe007f) ||
    /\p{M}/u.test(String.fromCodePoint(codePoint))
  );
}

const isRegional = (codePoint: number): boolean => codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff;

function regionalsBefore(text: string, index: number): number {
  let count = 0;
  for (let at = index; at > 1 && isRegional(text.codePointAt(at - 2) ?? 0); at -= 2) count += 1;
  return count;
}

/** Leading consonant before a consonant or vowel, and whatever a vowel or trailing consonant may follow. */
function isJamoPair(before: number, next: number): boolean {
  const isLead = before >= 0x1100 && before <= 0x115f;
  const isSyllable = before >= 0xac00 && before <= 0xd7a3;
  const isVowelOrTail = before >= 0x1160 && before <= 0x11ff;
  if (next >= 0x1100 && next <= 0x115f) return isLead;
  if (next >= 0x1160 && next <= 0x11ff) return isLead || isSyllable || isVowelOrTail;
  return next >= 0xac00 && next <= 0xd7a3 && isLead;
}
