import {
  buildSummary,
  countCodePoints,
  extractiveSummary,
  gateSummary,
  renderHistory,
  summaryTextRoom,
} from '#libs/context';
import type { CompactionRecord } from '../ports/compaction-store.port.js';
import type { CompactionSource } from './read-source.js';

export const EXTRACTIVE_MODEL = 'builtin:extractive';

/** What a summary must keep to. */
export type SummaryBounds = Pick<CompactionRecord, 'entries' | 'maxSummaryChars' | 'charsBefore'>;

/** A whole summary, appendix included, as the gate found it. */
export type CheckedSummary =
  | { kind: 'accepted'; summary: string; charsAfter: number; bytesSaved: number }
  | { kind: 'not_smaller'; charsAfter: number; bytesSaved: number }
  | { kind: 'too_long'; charsAfter: number };

/** Puts behind a text what code records, and lets the gate judge it. */
export function completeSummary(record: SummaryBounds, source: CompactionSource, text: string): CheckedSummary {
  const { entries, previousSummary } = source;
  const summary = buildSummary({ text, entries, previousSummary, maxChars: record.maxSummaryChars });
  return checkSummary(record, source, summary);
}

/** The gate alone, for a summary that is stored already. */
export function checkSummary(record: SummaryBounds, source: CompactionSource, summary: string): CheckedSummary {
  const charsBefore = record.charsBefore ?? Number.MAX_SAFE_INTEGER;
  const gate = gateSummary(summary, { maxChars: record.maxSummaryChars, charsBefore });
  const { charsAfter } = gate;
  switch (gate.kind) {
    case 'accepted':
      return { kind: 'accepted', summary, charsAfter, bytesSaved: bytesSaved(record, source, summary) };
    case 'not_smaller':
      return { kind: 'not_smaller', charsAfter, bytesSaved: bytesSaved(record, source, summary) };
    case 'too_long':
      return { kind: 'too_long', charsAfter };
  }
}

/** UTF-8 bytes: those of the shown chars at the range's own bytes per char, less those of the summary. */
function bytesSaved(record: SummaryBounds, source: CompactionSource, summary: string): number {
  return Math.round((record.charsBefore ?? 0) * bytesPerChar(source)) - Buffer.byteLength(summary);
}

export function bytesPerChar(source: CompactionSource): number {
  const text = renderHistory(source.entries);
  return text === '' ? 1 : Buffer.byteLength(text) / countCodePoints(text);
}

/** What the extractive summariser says of the range: no model, the same bytes each time. */
export function extractiveText(record: SummaryBounds, source: CompactionSource): string {
  return extractiveSummary({
    entries: source.fresh,
    previousSummary: source.previousSummary,
    asOf: record.entries[1],
    maxChars: summaryTextRoom(record.maxSummaryChars, source.entries),
  });
}
