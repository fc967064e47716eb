import {
  charCost,
  DIGIT,
  isLatin,
  isRareLetter,
  isSign,
  isSpace,
  kindOf,
  kindOfUnit,
  LINE_END,
  runCost,
  SIGN,
  TOKEN_COSTS as COSTS,
  UPPER,
} from './token-costs.js';

/** A run of letters, digits and signs of base64 that is this long may be encoded data: nearly no long pieces fit. */
const ENCODED_RUN = 24;
/** Digits and changes of case in it, as a share. */
const ENCODED_SHARE = 0.22;
/** Up to so many letters a piece is nearly always one token. */
const SHORT_WORD = 6;
const SHORT_PART = 4;

/**
 * Raw estimate of the tokens of a text, before the model's ratio. Cuts the text as byte-pair tokenizers do before they look
 * for pieces (letters with one blank or sign before them, up to three digits, runs of signs, line ends, blanks) and knows what
 * such pieces cost on average, by script. One pass.
 */
export function estimateTokens(text: string): number {
  return tokensOf(unitsOf(text));
}

/** Code units of a text: from a string each costs several times as much, and most are looked at more than once. */
type Units = Uint16Array;

/** Longer texts get room of their own, which goes when they are done. */
const ROOM = new Uint16Array(0x10000);

function unitsOf(text: string): Units {
  const units = text.length <= ROOM.length ? ROOM.subarray(0, text.length) : new Uint16Array(text.length);
  for (let index = 0; index < text.length; index += 1) units[index] = text.charCodeAt(index);
  return units;
}

const unitAt = (units: Units, index: number): number => units[index] ?? 0;

function tokensOf(text: Units): number {
  let tokens = 0;
  /** End of the run of letters and digits that was looked at last; negative when it is no encoded data. */
  let run = 0;
  for (let index = 0; index < text.length;) {
    const kind = kindAt(text, index);
    let end: number;
    if (isLatin(kind) || kind === DIGIT) {
      if (index >= Math.abs(run)) run = endOfRun(text, index);
      end = kind === DIGIT ? endOf(kind, text, index) : endOfPiece(text, index);
      if (kind === DIGIT) tokens += COSTS.digits * Math.ceil((end - index) / 3);
      else tokens += run > 0 ? encodedTokens(end - index) : pieceTokens(text, index, end, end <= -run);
    } else if (isSpace(kind)) {
      end = endOfSpace(text, index);
      // A blank before a word, the most frequent of all, is in the word's price.
      if (end - index > 1 || kind === LINE_END || end === text.length || !isLatin(kindAt(text, end)))
        tokens += spaceTokens(text, index, end);
    } else if (isSign(kind)) {
      end = endOfSigns(text, index);
      tokens += signTokens(text, index, end);
    } else {
      end = endOf(kind, text, index);
      tokens += scriptTokens(kind, text, index, end);
    }
    index = end;
  }
  return tokens;
}

/** Whole tokens of a text at a model's ratio. */
export const approxTokens = (text: string, ratio = 1): number => Math.ceil(estimateTokens(text) * ratio);

function codePointAt(text: Units, index: number): number {
  const unit = unitAt(text, index);
  const next = unitAt(text, index + 1);
  const isPair = unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000;
  return isPair ? (unit - 0xd800) * 0x400 + (next - 0xdc00) + 0x10000 : unit;
}

function kindAt(text: Units, index: number): number {
  const unit = unitAt(text, index);
  return unit >= 0xd800 && unit < 0xdc00 ? kindOf(codePointAt(text, index)) : kindOfUnit(unit);
}

/** Code units of the code point at an index. */
function width(text: Units, index: number): number {
  const unit = unitAt(text, index);
  return unit >= 0xd800 && unit < 0xdc00 && codePointAt(text, index) > 0xffff ? 2 : 1;
}

/** Where the run of one kind ends that begins at `start`. */
function endOf(kind: number, text: Units, start: number): number {
  let end = start + width(text, start);
  while (end < text.length && kindAt(text, end) === kind) end += width(text, end);
  return end;
}

/** What runs of base64 are made of. */
const IN_RUN = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  Number(isLatin(kindOfUnit(unit)) || kindOfUnit(unit) === DIGIT || '+/=-_'.includes(String.fromCharCode(unit))),
);

/** Where the run of letters, digits and signs of base64 ends that begins here; negative when it is no encoded data. */
function endOfRun(text: Units, start: number): number {
  let end = start;
  while (end < text.length && IN_RUN[unitAt(text, end)] === 1) end += 1;
  const length = end - start;
  return length >= ENCODED_RUN && irregularities(text, start, end) >= ENCODED_SHARE * length ? end : -end;
}

/** Digits and changes of case. */
function irregularities(text: Units, start: number, end: number): number {
  let irregular = 0;
  let before = 0;
  for (let index = start; index < end; index += 1) {
    const kind = kindOfUnit(unitAt(text, index));
    if (kind === DIGIT || (isLatin(kind) && isLatin(before) && kind !== before)) irregular += 1;
    before = kind;
  }
  return irregular;
}

/** Capitals, then small letters: camelCase is two pieces. */
function endOfPiece(text: Units, start: number): number {
  let end = start;
  while (end < text.length && kindOfUnit(unitAt(text, end)) === UPPER) end += 1;
  for (; end < text.length; end += 1) {
    const kind = kindOfUnit(unitAt(text, end));
    if (!isLatin(kind) || kind === UPPER) break;
  }
  return end;
}

const encodedTokens = (letters: number): number => COSTS.encodedPiece + COSTS.encodedLetter * (letters - 1);

function pieceTokens(text: Units, start: number, end: number, isAscii: boolean): number {
  const length = end - start;
  const isWord = start > 0 && unitAt(text, start - 1) === 0x20;
  let tokens = isWord
    ? COSTS.word + COSTS.wordLetter * Math.max(0, length - SHORT_WORD)
    : COSTS.part + COSTS.partLetter * Math.max(0, length - SHORT_PART);
  if (!isWord && isPrefix(text, start - 1)) tokens += COSTS.prefixed;
  if (length > 1 && kindOfUnit(unitAt(text, end - 1)) === UPPER) tokens += COSTS.capital * (length - 1);
  for (let index = isAscii ? end : start; index < end; index += 1) {
    const unit = unitAt(text, index);
    if (unit >= 0x80) tokens += unit < 0x100 ? COSTS.accent : COSTS.rareAccent;
  }
  return tokens;
}

function endOfSpace(text: Units, start: number): number {
  let end = start + 1;
  while (end < text.length && isSpace(kindOfUnit(unitAt(text, end)))) end += 1;
  return end;
}

/**
 * All up to the last line end is one piece, nothing behind a sign, which takes it along. The blanks behind it are another, but
 * for the last, which goes with the word that follows; only a digit leaves it alone.
 */
function spaceTokens(text: Units, start: number, end: number): number {
  let lineEnd = end;
  while (lineEnd > start && kindOfUnit(unitAt(text, lineEnd - 1)) !== LINE_END) lineEnd -= 1;
  const isTakenAlong = kindOfUnit(unitAt(text, start)) === LINE_END && isSignAt(text, start - 1);
  const blanks = end - lineEnd;
  let tokens = lineEnd > start && !isTakenAlong ? COSTS.lineEnd : 0;
  if (blanks > 1 || (blanks === 1 && end === text.length)) tokens += COSTS.blanks;
  if (blanks > 0 && end < text.length && kindOfUnit(unitAt(text, end)) === DIGIT) tokens += COSTS.blanks;
  return tokens;
}

const isSignAt = (text: Units, index: number): boolean => index >= 0 && kindOfUnit(unitAt(text, index)) === SIGN;

function endOfSigns(text: Units, start: number): number {
  let end = start;
  while (end < text.length && isSign(kindAt(text, end))) end += width(text, end);
  return end;
}

/** A single sign before letters goes with them, unless a blank or another sign is before it. */
const isPrefix = (text: Units, index: number): boolean =>
  isSignAt(text, index) && (index === 0 || (unitAt(text, index - 1) !== 0x20 && !isSignAt(text, index - 1)));

/** What goes with the letters behind it is paid for there. */
function signTokens(text: Units, start: number, end: number): number {
  const isAlone = end - start === 1 && end < text.length && isLatin(kindOfUnit(unitAt(text, end)));
  if (isAlone && isPrefix(text, start)) return 0;
  let tokens = 0;
  let before = -1;
  for (let index = start; index < end; index += width(text, index)) {
    const codePoint = codePointAt(text, index);
    const kind = kindOf(codePoint);
    if (codePoint === before) tokens += COSTS.repeat;
    else tokens += kind === SIGN && before !== -1 ? COSTS.change : charCost(kind);
    before = codePoint;
  }
  return tokens;
}

function scriptTokens(kind: number, text: Units, start: number, end: number): number {
  let letters = 0;
  let rare = 0;
  for (let index = start; index < end; index += width(text, index)) {
    letters += 1;
    if (isRareLetter(unitAt(text, index))) rare += 1;
  }
  return runCost(kind) + charCost(kind) * letters + COSTS.rareLetter * rare;
}
