import {
  abbreviate,
  countCodePoints,
  cutStart,
  wellFormed,
  type ConversationEntry,
  type UserEntry,
} from '../shape/index.js';
import { rankAnchors } from './rank-anchors.js';
import { contentText } from './render-history.js';

/** Bounds of the verbatim user messages. Chars. */
const MAX_MESSAGE_CHARS = 1_000;
const MAX_MESSAGES_CHARS = 6_000;
const MAX_NAMES_CHARS = 1_000;
/** The least room in which a message is cut to fit, and what its note takes of it at most. */
const LEAST_MESSAGE_CHARS = 120;
const CUT_NOTE_CHARS = 60;
/** What anchors may claim of a summary, and what is theirs of the appendix at least, where there are so many. */
const CLAIMED_SHARE = 0.25;
const LEAST_SHARE = 0.2;
const NAMES_HEADING = 'Files and images: ';
const ANCHORS_HEADING = 'Also named: ';

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
  const anchors = rankAnchors(input.entries);
  const reserved = anchorsRoom(anchors, room, (anchor) => !input.text.includes(anchor));
  add(verbatimMessages(input.entries, Math.min(room - reserved, MAX_MESSAGES_CHARS)));
  add(listed(NAMES_HEADING, fileNames(input.entries), Math.min(room, MAX_NAMES_CHARS)));
  const known = [input.text, ...sections].join('\n');
  add(listed(ANCHORS_HEADING, anchors, room, (anchor) => !known.includes(anchor)));
  return sections.join('\n');
}

/** What is left when the messages have all that they may, or a share of it; no more than there are anchors to list. */
function anchorsRoom(anchors: readonly string[], room: number, isListed: IsListed): number {
  return listedChars(anchors, Math.max(room - MAX_MESSAGES_CHARS, Math.floor(room * LEAST_SHARE)), isListed);
}

/** Asked of as few items as there is room for: it searches a text, and there may be thousands. */
type IsListed = (item: string) => boolean;
const everyItem: IsListed = () => true;

/** Chars of a list of anchors, counted up to `most`. */
function listedChars(anchors: readonly string[], most: number, isListed = everyItem): number {
  let chars = 0;
  for (const anchor of anchors) {
    if (!isListed(anchor)) continue;
    chars += countCodePoints(anchor) + 2 + (chars === 0 ? countCodePoints(ANCHORS_HEADING) : 0);
    if (chars >= most) return Math.max(0, most);
  }
  return chars;
}

/** Chars that the appendix of a summary of at most `maxChars` wants for itself, before it is known what the text holds. */
export function appendixClaim(entries: readonly ConversationEntry[], maxChars: number): number {
  const messages = verbatimMessages(entries, Math.min(Math.floor(maxChars / 2), MAX_MESSAGES_CHARS));
  const names = listed(NAMES_HEADING, fileNames(entries), Math.min(maxChars, MAX_NAMES_CHARS));
  const anchors = listedChars(rankAnchors(entries), Math.floor(maxChars * CLAIMED_SHARE));
  return countCodePoints(messages) + countCodePoints(names) + anchors + 2;
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
  const [first] = messages;
  // Not even one fits: the beginning of the first says more than that there were some.
  if (shown.size === 0 && first !== undefined && room >= LEAST_MESSAGE_CHARS)
    shown.set(first.entry, messageLine(first, room - CUT_NOTE_CHARS));
  if (shown.size === 0) return '';
  const omitted = messages.filter(({ entry }) => !shown.has(entry));
  const lines = [
    MESSAGES_HEADING,
    ...[...shown].toSorted(([a], [b]) => a - b).map(([, line]) => line),
    ...(omitted.length === 0 ? [] : [omittedLine(omitted)]),
  ];
  const section = lines.join('\n');
  return countCodePoints(section) <= maxChars ? section : '';
}

function messageLine(message: UserEntry, maxChars = MAX_MESSAGE_CHARS): string {
  const text = wellFormed(contentText(message.content)).trim();
  const chars = countCodePoints(text);
  if (chars <= maxChars) return `#${message.entry}: ${text}`;
  return `#${message.entry} (the first ${maxChars} of ${chars} chars): ${cutStart(text, maxChars)}`;
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

/** No name or anchor is shorter with what parts it from the next. */
const LEAST_ITEM_CHARS = 5;

/** As many items as fit behind the heading, in order; nothing when not even one does. */
export function listed(heading: string, items: readonly string[], maxChars: number, isListed = everyItem): string {
  let line = '';
  let room = maxChars - countCodePoints(heading);
  for (const item of items) {
    if (room < LEAST_ITEM_CHARS) break;
    const chars = countCodePoints(item) + 2;
    if (chars > room || !isListed(item)) continue;
    line += line === '' ? item : `, ${item}`;
    room -= chars;
  }
  return line === '' ? '' : heading + line;
}
