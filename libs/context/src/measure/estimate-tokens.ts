import type { AssistantPart, ContentPart, ToolCall } from '#libs/domain';
import { canonicalJson } from '#libs/domain';
import { isDocumentJson, type Weights } from './part-chars.js';

/** What a run of one kind costs in tokens; fitted to byte-pair vocabularies of 200,000 entries, corrected per model by usage. */
const PER_CODE_POINT = {
  han: 0.78,
  kana: 0.72,
  hangul: 0.72,
  cyrillic: 0.27,
  arabic: 0.34,
  hebrew: 0.4,
  indic: 0.4,
  thai: 0.5,
  emoji: 2.2,
  otherLetter: 0.45,
  digit: 0.4,
  punctuation: 0.55,
  space: 0.14,
};
/** A run without white space of this length with digits or both cases in it is encoded data: nearly no long pieces fit. */
const ENCODED_RUN = 40;

/**
 * Raw estimate of the tokens of a text, before the model's ratio. Aware of scripts, numbers, white space and encoded data.
 * One pass, no allocation.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let index = 0;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    if (isAsciiLetter(unit)) {
      const end = endOfWord(text, index);
      tokens += end - index >= ENCODED_RUN ? encodedTokens(text, index, end) : wordTokens(text, index, end);
      index = end;
    } else if (unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)) {
      const end = endOfSpace(text, index);
      tokens += end - index === 1 ? (unit === 0x20 ? 0 : 0.45) : 0.5 + (end - index) * 0.03;
      index = end;
    } else if (unit < 0x80) {
      tokens += unit >= 0x30 && unit <= 0x39 ? PER_CODE_POINT.digit : PER_CODE_POINT.punctuation;
      index += 1;
    } else {
      const codePoint = text.codePointAt(index) ?? 0;
      tokens += scriptTokens(codePoint);
      index += codePoint > 0xffff ? 2 : 1;
    }
  }
  return tokens;
}

const isAsciiLetter = (unit: number): boolean => (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
const isAsciiDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
const isEncodedUnit = (unit: number): boolean =>
  isAsciiLetter(unit) || isAsciiDigit(unit) || unit === 0x2b || unit === 0x2f || unit === 0x3d;

/** A run of letters, unless it goes on as encoded data. */
function endOfWord(text: string, start: number): number {
  let letters = start;
  while (letters < text.length && isAsciiLetter(text.charCodeAt(letters))) letters += 1;
  let run = letters;
  while (run < text.length && isEncodedUnit(text.charCodeAt(run))) run += 1;
  return run - start >= ENCODED_RUN && (run > letters || letters - start >= ENCODED_RUN) ? run : letters;
}

function endOfSpace(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length) {
    const unit = text.charCodeAt(end);
    if (unit !== 0x20 && !(unit >= 0x09 && unit <= 0x0d)) break;
    end += 1;
  }
  return end;
}

/** camelCase humps are pieces of their own; one token up to about seven letters, then a quarter of a token each. */
function wordTokens(text: string, start: number, end: number): number {
  let tokens = 0;
  let length = 0;
  for (let index = start; index < end; index += 1) {
    const isUpper = text.charCodeAt(index) < 0x61;
    if (isUpper && length > 1 && index > start && text.charCodeAt(index - 1) >= 0x61) {
      tokens += 0.85;
      length = 0;
    }
    length += 1;
  }
  return tokens + 1 + (length > 7 ? length - 7 : 0) * 0.2;
}

/** Base64 and hashes: about four code points in three tokens; a path of ordinary words less. */
function encodedTokens(text: string, start: number, end: number): number {
  let digits = 0;
  let changes = 0;
  for (let index = start; index < end; index += 1) {
    const unit = text.charCodeAt(index);
    if (isAsciiDigit(unit)) digits += 1;
    else if (index > start && isAsciiLetter(unit) && unit < 0x61 !== text.charCodeAt(index - 1) < 0x61) changes += 1;
  }
  const length = end - start;
  return (digits + changes) / length > 0.25 ? length * 0.72 : length * 0.3;
}

function scriptTokens(codePoint: number): number {
  if (codePoint < 0x300) return PER_CODE_POINT.otherLetter;
  if (codePoint < 0x370) return 0.6;
  if (codePoint < 0x530) return codePoint < 0x400 ? PER_CODE_POINT.hebrew : PER_CODE_POINT.cyrillic;
  if (codePoint < 0x600) return PER_CODE_POINT.hebrew;
  if (codePoint < 0x900) return PER_CODE_POINT.arabic;
  if (codePoint < 0xe00) return PER_CODE_POINT.indic;
  if (codePoint < 0x1100) return PER_CODE_POINT.thai;
  if (codePoint < 0x1200) return PER_CODE_POINT.hangul;
  if (codePoint >= 0x2000 && codePoint < 0x2e80) return 0.9;
  if (codePoint >= 0x3040 && codePoint < 0x3100) return PER_CODE_POINT.kana;
  if (codePoint >= 0x2e80 && codePoint < 0xa000) return PER_CODE_POINT.han;
  if (codePoint >= 0xac00 && codePoint < 0xd7b0) return PER_CODE_POINT.hangul;
  if (codePoint >= 0xfe00 && codePoint < 0xfe10) return 0.5;
  if (codePoint >= 0xff00 && codePoint < 0xfff0) return 0.9;
  if (codePoint >= 0x20000 && codePoint < 0x40000) return 2;
  return codePoint > 0xffff ? PER_CODE_POINT.emoji : PER_CODE_POINT.otherLetter;
}

/** Raw tokens of parts; images and pages by weight. */
export function partsTokens(parts: readonly (ContentPart | AssistantPart)[], weights: Weights): number {
  let sum = 0;
  for (const part of parts) sum += partTokens(part, weights);
  return sum;
}

function partTokens(part: ContentPart | AssistantPart, weights: Weights): number {
  switch (part.type) {
    case 'text':
      return estimateTokens(part.text);
    case 'image':
      return weights.imageTokens;
    case 'document':
      return weights.pageTokens * (part.pages ?? 1);
    case 'other':
      return isDocumentJson(part.raw) ? weights.pageTokens : estimateTokens(canonicalJson(part.raw));
    case 'thinking':
      return estimateTokens(part.text) + estimateTokens(part.signature ?? '');
    case 'redacted_thinking':
      return estimateTokens(part.data);
    case 'opaque':
      return estimateTokens(canonicalJson(part.raw));
  }
}

export function callsTokens(calls: readonly ToolCall[]): number {
  let sum = 0;
  for (const call of calls) sum += 4 + estimateTokens(call.name) + estimateTokens(call.arguments);
  return sum;
}

/** Whole tokens of a text at a model's ratio. */
export const approxTokens = (text: string, ratio = 1): number => Math.ceil(estimateTokens(text) * ratio);
