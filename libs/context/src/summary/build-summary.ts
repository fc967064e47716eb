import { countCodePoints, cutStart, wellFormed, type ConversationEntry } from '../shape/index.js';
import { anchorsOf } from './anchors.js';
import { APPENDIX_MARK } from './appendix-mark.js';
import { appendixClaim, listed, summaryAppendix } from './appendix.js';
import { renderHistory } from './render-history.js';

export type BuildSummaryInput = {
  /** What the model (or the extractive summariser) wrote, as `checkSummaryText` lets it pass. */
  text: string;
  /** All repaired originals of the range, from its beginning, superseded part included. */
  entries: readonly ConversationEntry[];
  /** The superseded summary, for telling what is known from what is invented; null: none. */
  previousSummary: string | null;
  /** B, in chars. */
  maxChars: number;
};

const SEPARATOR = `\n\n${APPENDIX_MARK}\n`;

/** Below this a text says nothing: a small summary is for its text first. */
const LEAST_TEXT_CHARS = 400;

/**
 * Chars of B that a summariser's text may use: half of it, down to a quarter where what code records of the range (the user's
 * words above all) needs more than the other half.
 */
export function summaryTextRoom(maxChars: number, entries: readonly ConversationEntry[]): number {
  const left = maxChars - countCodePoints(SEPARATOR) - appendixClaim(entries, maxChars);
  const half = Math.floor(maxChars / 2);
  return Math.max(Math.floor(maxChars / 4), Math.min(half, Math.max(left, LEAST_TEXT_CHARS)));
}

const MAX_UNKNOWN_CHARS = 300;

/**
 * The summary that is stored: the text, and behind it what code records. Never longer than `maxChars` unless the text alone
 * is (which the gate refuses). A text within its room leaves the rest to the appendix; of one that took more, the end is cut
 * as far as the appendix needs, so that no model can crowd out the user's own words.
 */
export function buildSummary(input: BuildSummaryInput): string {
  const text = wellFormed(input.text).replaceAll(APPENDIX_MARK, '').trim();
  const chars = countCodePoints(text);
  if (chars > input.maxChars) return text;
  const textRoom = summaryTextRoom(input.maxChars, input.entries);
  const room = input.maxChars - countCodePoints(SEPARATOR) - Math.min(chars, textRoom);
  const recorded = room <= 0 ? '' : recordedBehind(text, input, room);
  if (recorded === '') return text;
  const left = input.maxChars - countCodePoints(SEPARATOR) - countCodePoints(recorded);
  return `${chars <= left ? text : cutAtSentence(text, left)}${SEPARATOR}${recorded}`;
}

function recordedBehind(text: string, input: BuildSummaryInput, room: number): string {
  const unknown = listed(
    'Named above, but not in the record: ',
    unknownNames(text, input),
    Math.min(room, MAX_UNKNOWN_CHARS),
  );
  const appendix = summaryAppendix({
    entries: input.entries,
    text,
    maxChars: room - (unknown === '' ? 0 : countCodePoints(unknown) + 1),
  });
  return cutStart([unknown, appendix].filter((section) => section !== '').join('\n'), room);
}

/** At the last end of a line or sentence that fits, when that leaves most of it. */
function cutAtSentence(text: string, maxChars: number): string {
  const start = cutStart(text, maxChars);
  const end = Math.max(start.lastIndexOf('\n'), start.lastIndexOf('. ') + 1, start.lastIndexOf('。') + 1);
  return (end > start.length / 2 ? start.slice(0, end) : start).trimEnd();
}

/** Paths, addresses, identifiers and codes that the text names and no entry holds: a model made them up (row 66). */
function unknownNames(text: string, input: BuildSummaryInput): string[] {
  const named = anchorsOf(text).filter((anchor) => /[\p{L}_/]/u.test(anchor) && !anchor.startsWith('#'));
  if (named.length === 0) return [];
  const record = `${renderHistory(input.entries)}\n${input.previousSummary ?? ''}\n${fullTexts(input.entries)}`;
  return named.filter((anchor) => !record.includes(anchor)).slice(0, 10);
}

/** Long results whole: a rendering for a summariser shortens them. */
const fullTexts = (entries: readonly ConversationEntry[]): string =>
  entries
    .flatMap((entry) =>
      entry.kind === 'result' || entry.kind === 'documents'
        ? entry.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
        : [],
    )
    .join('\n');
