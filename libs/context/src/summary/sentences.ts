import { countCodePoints, cutStart } from '../shape/index.js';

/** `heading`: the nearest heading above it, if any. `paragraph`: counts blank-line separated blocks, from 0. */
export type Sentence = { text: string; heading: string | null; paragraph: number };

/** A sentence longer than this is cut at a grapheme: lines of data would crowd out everything else. Chars. */
const MAX_SENTENCE_CHARS = 400;

/** Words that end in a full stop inside a sentence. */
const ABBREVIATIONS = new Set([
  'e.g',
  'i.e',
  'etc',
  'dr',
  'mr',
  'mrs',
  'ms',
  'prof',
  'no',
  'nr',
  'vs',
  'approx',
  'ca',
  'z.b',
  'd.h',
  'bzw',
  'usw',
  'inc',
  'ltd',
  'co',
  'st',
  'fig',
  'т.е',
  'т.д',
  'т.п',
  'др',
  'руб',
  'ул',
  'г',
]);

/**
 * Splits text into sentences, by script: full stops of alphabets need a space behind them, those of Chinese and Japanese
 * do not. Lines of lists, tables and code are sentences of their own; fences, rules and data blobs are left out.
 */
export function splitSentences(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let heading: string | null = null;
  let paragraph = 0;
  let block: string[] = [];
  const flush = (): void => {
    for (const sentence of splitLine(block.join(' '))) sentences.push({ text: sentence, heading, paragraph });
    block = [];
  };
  for (const raw of text.split(/\r\n|[\n\r\u2028\u2029]/u)) {
    const line = raw.trim();
    if (line === '' || isNoise(line)) {
      flush();
      if (line === '') paragraph += 1;
    } else if (isHeading(line)) {
      flush();
      heading = line.replace(/^#+\s*/u, '').replace(/[:：]$/u, '');
      paragraph += 1;
    } else if (startsItem(line)) {
      flush();
      block.push(line.replace(/^(?:[-*+•▪◦]|\d{1,3}[.)])\s+/u, ''));
    } else block.push(line);
  }
  flush();
  return sentences;
}

const isHeading = (line: string): boolean => /^#{1,6}\s+\S/u.test(line);
const startsItem = (line: string): boolean =>
  /^(?:[-*+•▪◦]|\d{1,3}[.)])\s+\S/u.test(line) || /^[|{}[\]<>$]/u.test(line);

/** Fences, rules, tags on a line of their own, blobs. */
function isNoise(line: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(line)) return true;
  if (/^(?:`{3,}|~{3,})/u.test(line) || /^<\/?[^<>]*>$/u.test(line) || /^\[[^\]]*\]$/u.test(line)) return true;
  return line.length > 200 && !/\s/u.test(line) && /^[\x21-\x7e]+$/u.test(line);
}

function splitLine(line: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const match of line.matchAll(/[.!?…؟۔।]+["'”’»)\]]*(?=\s|$)|[。！？｡]+["”’」』）]*/gu)) {
    const end = match.index + match[0].length;
    if (match[0] === '.' && isInside(line, match.index, end)) continue;
    parts.push(line.slice(start, end));
    start = end;
  }
  parts.push(line.slice(start));
  return parts
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .map(bounded);
}

/** A full stop behind an abbreviation, a single letter or a list number, or in front of a small letter. */
function isInside(line: string, dot: number, end: number): boolean {
  const word = /[\p{L}\p{N}.]*$/u.exec(line.slice(Math.max(0, dot - 20), dot))?.[0] ?? '';
  const next = /^\s+(\S)/u.exec(line.slice(end, end + 8))?.[1];
  if (next !== undefined && /\p{Ll}/u.test(next)) return true;
  return ABBREVIATIONS.has(word.toLowerCase()) || /^\p{Lu}$/u.test(word);
}

const bounded = (sentence: string): string =>
  countCodePoints(sentence) <= MAX_SENTENCE_CHARS
    ? sentence
    : `${cutStart(sentence, MAX_SENTENCE_CHARS - 1).trimEnd()}…`;
