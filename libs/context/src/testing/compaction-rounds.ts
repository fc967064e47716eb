import { repairConversation, type ConversationEntry } from '../shape/index.js';
import { anchorsOf } from '../summary/anchors.js';
import { summaryText } from '../summary/appendix-mark.js';
import { buildSummary, extractiveSummary, renderHistory, summaryTextRoom } from '../summary/index.js';
import type { Transcript } from '../transcript/index.js';
import { transcriptLog } from './transcript-log.js';

export type RoundInput = {
  entries: readonly ConversationEntry[];
  previousSummary: string | null;
  asOf: number;
  /** Chars that the text may have. */
  maxChars: number;
};
/** What stands in for a model: writes the text of a summary. */
export type Summariser = (input: RoundInput) => string;

const cut = (text: string, maxChars: number): string => [...text].slice(0, maxChars).join('');

/**
 * Four ways to summarise, none with a model. `lossy` keeps every third line and forgets every identifier, path and number;
 * `echoing` gives back what it read, as far as it fits; `mute` says next to nothing.
 */
export const SUMMARISERS: { readonly [name: string]: Summariser } = {
  extractive: (input) => extractiveSummary(input),
  lossy: (input) => {
    const lines = extractiveSummary(input)
      .split('\n')
      .filter((_line, index) => index % 3 === 0);
    let text = lines.join('\n');
    for (const anchor of anchorsOf(text)) text = text.replaceAll(anchor, 'something');
    return text.trim() === '' ? 'They talked.' : text;
  },
  echoing: (input) =>
    cut(`${summaryText(input.previousSummary ?? '')}\n${renderHistory(input.entries)}`.trim(), input.maxChars),
  mute: () => 'They talked.',
};

/** Entries of a recorded session, repaired. */
export function entriesOf(transcript: Transcript): ConversationEntry[] {
  return repairConversation(transcriptLog(transcript).log.events).entries;
}

/**
 * The session compacted `rounds` times as the compactor does it: each time the originals since the last one and its summary
 * go in, one summary of everything so far comes out. Returns that of each round.
 * @param maxChars B: the bound of each summary, its appendix included.
 */
export function compactInRounds(
  entries: readonly ConversationEntry[],
  rounds: number,
  summarise: Summariser,
  maxChars: number,
): { covered: readonly ConversationEntry[]; summary: string }[] {
  const turns = entries.flatMap((entry, index) => (entry.kind === 'assistant' ? [index] : []));
  const made: { covered: readonly ConversationEntry[]; summary: string }[] = [];
  let previousSummary: string | null = null;
  let from = 0;
  for (let round = 1; round <= rounds; round += 1) {
    const nextTurn = turns[Math.round((turns.length * round) / rounds)];
    const to = nextTurn ?? entries.length;
    const covered = entries.slice(0, to);
    const fresh = entries.slice(from, to);
    const asOf = covered.at(-1)?.entry ?? 1;
    const text = summarise({ entries: fresh, previousSummary, asOf, maxChars: summaryTextRoom(maxChars, covered) });
    const summary = buildSummary({ text, entries: covered, previousSummary, maxChars });
    made.push({ covered, summary });
    previousSummary = summary;
    from = to;
  }
  return made;
}
