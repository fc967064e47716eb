/**
 * What the pieces of a text cost in tokens. Fitted by least squares to a public vocabulary of 200,000 pieces (o200k) over prose
 * in 24 languages, program messages in 8, source code, logs, base64, hashes, emoji and recorded sessions, with 2 % on top:
 * an estimate that is too low is worse than one that is too high. Other vocabularies differ by a factor, which usage corrects
 * per model.
 */
export const TOKEN_COSTS = {
  /** Latin letters behind a blank, and each letter beyond the sixth; behind anything else, and each beyond the fourth. */
  word: 0.85,
  wordLetter: 0.24,
  part: 0.94,
  partLetter: 0.13,
  /** On top: a sign that goes with the letters behind it, a capital, a letter with an accent. */
  prefixed: 0.33,
  capital: 0.06,
  accent: 1.05,
  rareAccent: 1.45,
  /** Encoded data: a piece of letters, and each letter beyond the first. */
  encodedPiece: 0.96,
  encodedLetter: 0.51,
  /** Up to three digits. */
  digits: 0.91,
  blanks: 1.04,
  lineEnd: 1.7,
  /** A sign that differs from the ASCII sign before it, and one that repeats the one before it. */
  change: 0.05,
  repeat: 0.02,
  /** On top of its script: a letter that the largest languages of its script do without. */
  rareLetter: 0.64,
};

export const SPACE = 0;
export const LINE_END = 1;
export const DIGIT = 2;
export const LOWER = 3;
export const UPPER = 4;
export const SIGN = 5;
/** Signs beyond ASCII, then letters of other scripts. */
const FIRST_SCRIPT = 15;

type Kind = { readonly name: string; readonly char: number; readonly run: number };
const kind = (name: string, char: number, run = 0): Kind => ({ name, char, run });

/** By number: cost of a code point, and of a run of them on top. Those that the scanner counts itself cost nothing here. */
const KINDS: readonly Kind[] = [
  kind('space', 0),
  kind('line end', 0),
  kind('digit', 0),
  kind('small letter', 0),
  kind('capital letter', 0),
  kind('sign', 1.1),
  kind('punctuation', 0.85),
  kind('punctuation of East Asia', 0.55),
  kind('arrow', 1.3),
  kind('line drawing', 1.7),
  kind('symbol', 3),
  kind('emoticon', 0.9),
  kind('pictograph', 2.1),
  kind('joiner', 0.2),
  kind('flag or skin', 2.4),
  kind('han', 0.78),
  kind('hiragana', 0.7, 0.55),
  kind('katakana', 0.3),
  kind('hangul', 0.71, 0.05),
  kind('cyrillic', 0.11, 0.9),
  kind('arabic', 0.37),
  kind('hebrew', 0.44, 0.06),
  kind('greek', 0.33, 0.39),
  kind('indic', 0.36),
  kind('thai', 0.38),
  kind('other letter', 0.32),
  kind('rare han', 2.5),
];

const numberOf = (name: string): number => KINDS.findIndex((one) => one.name === name);

/** First and last code unit, inclusive; later rows win. */
const RANGES: readonly (readonly [number, number, string])[] = [
  [0x00, 0xffff, 'other letter'],
  [0x00, 0x7f, 'sign'],
  [0x09, 0x0d, 'space'],
  [0x0a, 0x0a, 'line end'],
  [0x0d, 0x0d, 'line end'],
  [0x20, 0x20, 'space'],
  [0x30, 0x39, 'digit'],
  [0x41, 0x5a, 'capital letter'],
  [0x61, 0x7a, 'small letter'],
  [0x80, 0xbf, 'punctuation'],
  [0xa0, 0xa0, 'space'],
  [0xc0, 0xde, 'capital letter'],
  [0xdf, 0x24f, 'small letter'],
  [0xd7, 0xd7, 'punctuation'],
  [0xf7, 0xf7, 'punctuation'],
  [0x300, 0x36f, 'small letter'],
  [0x370, 0x3ff, 'greek'],
  [0x400, 0x52f, 'cyrillic'],
  [0x590, 0x5ff, 'hebrew'],
  [0x600, 0x8ff, 'arabic'],
  [0x900, 0xdff, 'indic'],
  [0xe00, 0x10ff, 'thai'],
  [0x1100, 0x11ff, 'hangul'],
  [0x1e00, 0x1eff, 'small letter'],
  [0x1f00, 0x1fff, 'greek'],
  [0x2000, 0x206f, 'punctuation'],
  [0x200c, 0x200d, 'joiner'],
  [0x20a0, 0x20cf, 'symbol'],
  [0x2190, 0x21ff, 'arrow'],
  [0x2200, 0x2bff, 'symbol'],
  [0x2500, 0x259f, 'line drawing'],
  [0x2e80, 0x9fff, 'han'],
  [0x3000, 0x3000, 'space'],
  [0x3001, 0x303f, 'punctuation of East Asia'],
  [0x3040, 0x309f, 'hiragana'],
  [0x30a0, 0x30ff, 'katakana'],
  [0xac00, 0xd7af, 'hangul'],
  [0xf900, 0xfaff, 'han'],
  [0xfb1d, 0xfb4f, 'hebrew'],
  [0xfb50, 0xfdff, 'arabic'],
  [0xfe00, 0xfe0f, 'joiner'],
  [0xfe70, 0xfeff, 'arabic'],
  [0xff00, 0xffef, 'punctuation of East Asia'],
];

/** Kind by code unit: looked up for each char of each text. */
const KIND_OF_UNIT = RANGES.reduce(
  (table, [first, last, name]) => table.fill(numberOf(name), first, last + 1),
  new Uint8Array(0x10000),
);
const CHAR_COSTS = Float64Array.from(KINDS, ({ char }) => char);
const RUN_COSTS = Float64Array.from(KINDS, ({ run }) => run);
const FLAG = numberOf('flag or skin');
const EMOTICON = numberOf('emoticon');
const PICTOGRAPH = numberOf('pictograph');
const RARE_HAN = numberOf('rare han');

export const kindOfUnit = (unit: number): number => KIND_OF_UNIT[unit] ?? 0;

/** Kind of a code point; `kindOfUnit` answers for those that are one unit. */
export function kindOf(codePoint: number): number {
  if (codePoint <= 0xffff) return kindOfUnit(codePoint);
  if ((codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff) || (codePoint >= 0x1f3fb && codePoint <= 0x1f3ff)) return FLAG;
  if (codePoint >= 0x1f600 && codePoint <= 0x1f64f) return EMOTICON;
  return codePoint >= 0x1f000 && codePoint <= 0x1ffff ? PICTOGRAPH : RARE_HAN;
}

export const charCost = (number: number): number => CHAR_COSTS[number] ?? 0;
export const runCost = (number: number): number => RUN_COSTS[number] ?? 0;
export const isLatin = (number: number): boolean => number === LOWER || number === UPPER;
export const isSpace = (number: number): boolean => number === SPACE || number === LINE_END;
/** Of ASCII or beyond. */
export const isSign = (number: number): boolean => number >= SIGN && number < FIRST_SCRIPT;

/** Beyond Russian: Ukrainian, Belarusian, Serbian and more; of the Arabic script what Arabic and Persian do not have. */
export const isRareLetter = (unit: number): boolean =>
  unit === 0x454 ||
  (unit >= 0x456 && unit < 0x530) ||
  (unit >= 0x66e && unit < 0x6d4 && unit !== 0x6a9 && unit !== 0x6cc);
