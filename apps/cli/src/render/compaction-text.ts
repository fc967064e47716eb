import type { Api } from '#libs/client';
import { readable } from '../terminal/excerpt.js';
import { dollars, moment, whole } from '../terminal/numbers.js';
import { statusText, type Style } from '../terminal/style.js';
import { facts } from '../terminal/table.js';

/** What the generated client gives for pairs differs from operation to operation. */
export type Compaction = Omit<Api['Compaction'], 'entries' | 'range'> & {
  entries: readonly number[];
  range: readonly number[];
};

/** For a table: see COMPACTION_HEADINGS. */
export function compactionRow(compaction: Compaction, style: Style): string[] {
  return [
    compaction.id,
    statusText(compaction.status, style) + (compaction.live ? ' (live)' : ''),
    compaction.stream_id,
    places(compaction.entries, '#'),
    sizes(compaction),
    compaction.reason,
    moment(compaction.requested_at),
  ];
}
export const COMPACTION_HEADINGS = ['COMPACTION', 'STATUS', 'STREAM', 'ENTRIES', 'CHARS', 'REASON', 'REQUESTED'];

/** One compaction for people: what it stands for, what it cost, each attempt, and the summary. */
export function compactionText(compaction: Compaction, style: Style): string[] {
  const { usage, summarizer } = compaction;
  const first = `${style('bold', compaction.id)}  ${statusText(compaction.status, style)}${compaction.live ? '  live' : ''}`;
  const about = facts([
    ['stream', compaction.stream_id],
    ['run', compaction.run_id],
    ['reason', compaction.reason],
    ['entries', places(compaction.entries, '#')],
    ['events', `seq ${places(compaction.range, '')}`],
    ['chars', sizes(compaction)],
    ['by', summarizer.model === null ? null : summarizer.model],
    ['calls', usage.model_calls === 0 ? null : whole(usage.model_calls)],
    ['tokens', usage.model_calls === 0 ? null : `${whole(usage.input_tokens)} in, ${whole(usage.output_tokens)} out`],
    ['cost', usage.cost_usd === 0 ? null : dollars(usage.cost_usd)],
    ['requested', moment(compaction.requested_at)],
    ['ended', compaction.ended_at === null ? null : moment(compaction.ended_at)],
    ['supersedes', compaction.supersedes],
    ['can', compaction.allowed_actions.join(', ')],
  ]);
  const attempts = compaction.attempts.map((attempt) => style('dim', attemptText(attempt)));
  const summary = compaction.summary === null ? [] : ['', readable(compaction.summary)];
  return [first, ...about, ...attempts, ...summary];
}

function attemptText(attempt: unknown): string {
  const fields = typeof attempt === 'object' && attempt !== null ? Object.entries(attempt) : [];
  const shown = fields.filter(([name, value]) => value !== null && !name.endsWith('_at'));
  return `attempt  ${shown.map(([name, value]) => `${name} ${readable(String(value))}`).join(', ')}`;
}

const places = (range: readonly number[], sign: string): string => range.map((place) => `${sign}${place}`).join('–');

function sizes({ chars_before, chars_after }: Pick<Compaction, 'chars_before' | 'chars_after'>): string {
  if (chars_before === null) return '';
  return chars_after === null ? whole(chars_before) : `${whole(chars_before)} → ${whole(chars_after)}`;
}
