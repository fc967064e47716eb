import { cutEnd, cutStart, wellFormed, type ConversationEntry } from '../shape/index.js';
import { anchorsOf } from './anchors.js';
import { answerText, contentText } from './render-history.js';

/** Of a long text only this much is searched, at each end: the middle of a listing is noise. Chars. */
const ANCHOR_SPAN = 2_000;
/** Of a very long range the newest part is searched, so that it costs no more than this many chars. */
const MAX_SEARCHED_CHARS = 2_000_000;

/** What people and assistants say deliberately weighs more than what tools print and what calls are made with. */
const WEIGHTS = { spoken: 3, observed: 1, called: 0.5 } as const;

type Mention = { weight: number; times: number };

/**
 * Anchors of a range, the most telling first. One that was named once, among few others, by somebody who speaks, comes before
 * one of the many of a listing: what is named again and again stands in the text of a summary and can be found again, what was
 * named once is lost. Newer ones first where that makes no difference.
 */
export function rankAnchors(entries: readonly ConversationEntry[]): readonly string[] {
  const known = ranked.get(entries);
  if (known !== undefined) return known;
  const anchors = rank(entries);
  ranked.set(entries, anchors);
  return anchors;
}

/** A summary asks more than once; entries are never changed. */
const ranked = new WeakMap<readonly ConversationEntry[], readonly string[]>();

function rank(entries: readonly ConversationEntry[]): string[] {
  const mentions = new Map<string, Mention>();
  let room = MAX_SEARCHED_CHARS;
  for (const entry of entries.toReversed()) {
    for (const [text, weight] of searched(entry)) {
      for (const [anchor, salience] of salienceOf(text)) mention(mentions, anchor, weight * salience);
      room -= text.length;
    }
    if (room <= 0) break;
  }
  const score = ({ weight, times }: Mention): number => weight / times;
  return [...mentions].toSorted(([, a], [, b]) => score(b) - score(a)).map(([anchor]) => anchor);
}

/** 1 for the only anchor of a text, less for one of many; one that stands in a sentence competes with that sentence's only. */
function salienceOf(text: string): Map<string, number> {
  const found = anchorsOf(text);
  const salience = new Map(found.map((anchor) => [anchor, 1 / Math.sqrt(found.length)]));
  if (found.length < 2) return salience;
  for (const line of text.split('\n')) {
    if (!isSentence(line)) continue;
    const inLine = found.filter((anchor) => line.includes(anchor));
    for (const anchor of inLine)
      salience.set(anchor, Math.max(salience.get(anchor) ?? 0, 1 / Math.sqrt(inLine.length)));
  }
  return salience;
}

/** Begins with a letter and ends as sentences do: what somebody wrote for a reader, also within the output of a program. */
const isSentence = (line: string): boolean => /^\p{L}/u.test(line) && /[.!?。！？]["'”’)\]]?\s*$/u.test(line);

function mention(mentions: Map<string, Mention>, anchor: string, weight: number): void {
  const known = mentions.get(anchor);
  if (known === undefined) mentions.set(anchor, { weight, times: 1 });
  else {
    known.weight = Math.max(known.weight, weight);
    known.times += 1;
  }
}

function searched(entry: ConversationEntry): (readonly [string, number])[] {
  switch (entry.kind) {
    case 'memory':
      return [];
    case 'user':
      return [[ends(contentText(entry.content)), entry.injected ? WEIGHTS.observed : WEIGHTS.spoken]];
    case 'documents':
    case 'result':
      return [[ends(contentText(entry.content)), WEIGHTS.observed]];
    case 'assistant':
      return [
        [ends(answerText(entry.content)), WEIGHTS.spoken],
        ...entry.calls.map((call) => [ends(call.arguments), WEIGHTS.called] as const),
      ];
  }
}

const ends = (text: string): string =>
  wellFormed(text.length <= 2 * ANCHOR_SPAN ? text : `${cutStart(text, ANCHOR_SPAN)}\n${cutEnd(text, ANCHOR_SPAN)}`);
