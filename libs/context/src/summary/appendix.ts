import {
  abbreviate,
  countCodePoints,
  cutEnd,
  cutStart,
  wellFormed,
  type ConversationEntry,
  type UserEntry,
} from '../shape/index.js';
import { anchorsOf } from './anchors.js';
import { answerText, contentText } from './render-history.js';

/** Bounds of the verbatim user messages. Chars. */
const MAX_MESSAGE_CHARS = 1_000;
const MAX_MESSAGES_CHARS = 6_000;
const MAX_NAMES_CHARS = 1_000;
/** The shortest anchor and its comma. */
const LEAST_LISTED_CHARS = 5;
/** Of a long result only this much is searched for anchors, at each end: the middle of a listing is noise. */
const ANCHOR_SPAN = 2_000;

export type AppendixInput = {
  /** All repaired originals of the range, from its beginning. */
  entries: readonly ConversationEntry[];
  /** What the model wrote; anchors in it are not repeated. */
  text: string;
  /** Bound of the appendix in chars; 0 gives none. */
  maxChars: number;
};

/**
 * What a summary must not lose, put behind it by code: the user's messages verbatim, names of files and images, and anchors
 * that the text misses. Made from the originals each time, so nothing wears away from round to round.
 */
export function summaryAppendix(input: AppendixInput): string {
  const sections: string[] = [];
  let room = input.maxChars;
  const add = (section: string): void => {
    if (section === '') return;
    sections.push(section);
    room -= countCodePoints(section) + 1;
  };
  add(verbatimMessages(input.entries, Math.min(room, MAX_MESSAGES_CHARS)));
  add(listed('Files and images: ', fileNames(input.entries), Math.min(room, MAX_NAMES_CHARS)));
  const known = `${input.text}\n${sections.join('\n')}`;
  add(listed('Also named: ', newestAnchors(input.entries, known, room), room));
  return sections.join('\n');
}

const MESSAGES_HEADING = "The user's messages, verbatim:";

/** The first message and the newest ones, as many as fit; of what is left out the numbers are named. */
function verbatimMessages(entries: readonly ConversationEntry[], maxChars: number): string {
  const messages = entries.filter((entry): entry is UserEntry => entry.kind === 'user' && !entry.injected);
  if (messages.length === 0) return '';
  const reserve = countCodePoints(MESSAGES_HEADING) + countCodePoints(omittedLine(messages)) + 2;
  let room = maxChars - reserve;
  const shown = new Map<number, string>();
  for (const message of [messages[0], ...messages.slice(1).toReversed()]) {
    if (message === undefined) continue;
    const line = messageLine(message);
    const chars = countCodePoints(line) + 1;
    if (chars > room) break;
    shown.set(message.entry, line);
    room -= chars;
  }
  const omitted = messages.filter(({ entry }) => !shown.has(entry));
  const lines = [
    MESSAGES_HEADING,
    ...[...shown].toSorted(([a], [b]) => a - b).map(([, line]) => line),
    ...(omitted.length === 0 ? [] : [omittedLine(omitted)]),
  ];
  const section = lines.join('\n');
  return countCodePoints(section) <= maxChars ? section : '';
}

function messageLine(message: UserEntry): string {
  const text = wellFormed(contentText(message.content)).trim();
  const chars = countCodePoints(text);
  if (chars <= MAX_MESSAGE_CHARS) return `#${message.entry}: ${text}`;
  return `#${message.entry} (the first ${MAX_MESSAGE_CHARS} of ${chars} chars): ${cutStart(text, MAX_MESSAGE_CHARS)}`;
}

/** At most twelve numbers, so the line is bounded however many messages there are. */
function omittedLine(omitted: readonly UserEntry[]): string {
  const numbers = omitted.slice(0, 12).map(({ entry }) => `#${entry}`);
  return `Not shown: ${numbers.join(', ')}${omitted.length > 12 ? ` and ${omitted.length - 12} more` : ''}`;
}

function fileNames(entries: readonly ConversationEntry[]): string[] {
  const names = entries.toReversed().flatMap((entry) => {
    if (entry.kind === 'memory' || entry.kind === 'assistant' || entry.entry === null) return [];
    return entry.content.flatMap((part) => {
      if (part.type !== 'image' && part.type !== 'document') return [];
      const name = part.name ?? part.url;
      return [`${part.type}${name === undefined ? '' : ` ${abbreviate(oneLine(name), 120)}`} (#${entry.entry})`];
    });
  });
  return [...new Set(names)];
}

const oneLine = (text: string): string => wellFormed(text).replace(/\s+/gu, ' ');

/**
 * Anchors that `known` misses: newest entries first, within an entry what was written before what tools were told. No more
 * than can be shown, so a long range costs no more than a short one.
 */
function newestAnchors(entries: readonly ConversationEntry[], known: string, maxChars: number): string[] {
  const found = new Set<string>();
  for (const entry of entries.toReversed()) {
    for (const anchor of anchorsOf(wellFormed(searched(entry)))) if (!known.includes(anchor)) found.add(anchor);
    if (found.size > maxChars / LEAST_LISTED_CHARS) break;
  }
  return [...found];
}

function searched(entry: ConversationEntry): string {
  switch (entry.kind) {
    case 'user':
    case 'documents':
      return ends(contentText(entry.content));
    case 'memory':
      return '';
    case 'assistant':
      return [ends(answerText(entry.content)), ...entry.calls.map((call) => ends(call.arguments))].join('\n');
    case 'result':
      return ends(contentText(entry.content));
  }
}

const ends = (text: string): string =>
  text.length <= 2 * ANCHOR_SPAN ? text : `${cutStart(text, ANCHOR_SPAN)}\n${cutEnd(text, ANCHOR_SPAN)}`;

/** As many items as fit behind the heading, in order; nothing when not even one does. */
export function listed(heading: string, items: readonly string[], maxChars: number): string {
  let line = '';
  let room = maxChars - countCodePoints(heading);
  for (const item of items) {
    const chars = countCodePoints(item) + 2;
    if (chars > room) continue;
    line += line === '' ? item : `, ${item}`;
    room -= chars;
  }
  return line === '' ? '' : heading + line;
}
