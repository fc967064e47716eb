import { countCodePoints, cutEnd, cutStart, isBlank, wellFormed, type ConversationEntry } from '../shape/index.js';
import { anchorsOf } from './anchors.js';
import { summaryText } from './appendix-mark.js';
import { answerText, contentText } from './render-history.js';
import { splitSentences } from './sentences.js';
import { termsOf } from './terms.js';

export type ExtractiveSummaryInput = {
  /** Repaired originals to cover, in order. */
  entries: readonly ConversationEntry[];
  /** The summary that is superseded; its lines compete with the new ones. */
  previousSummary: string | null;
  /** Last entry of the range. */
  asOf: number;
  maxChars: number;
};

type Candidate = { entry: number; order: number; text: string; terms: ReadonlySet<string>; weight: number };

/** Sentences of one entry that may compete: what a long text says last and first is seldom in its middle. */
const MAX_PER_ENTRY = 12;
const MAX_LINE_CHARS = 240;

/**
 * A summary by selection, without a model: what assistants said, and errors, by how much their words are at the centre of
 * the conversation; new lines before old ones. The same input gives the same bytes; the output is bounded whatever the
 * history is. The user's own words are the appendix's business.
 */
export function extractiveSummary(input: ExtractiveSummaryInput): string {
  const heading = `As of #${input.asOf}:`;
  const tally = toolTally(input.entries);
  const candidates = [...previousLines(input.previousSummary), ...input.entries.flatMap(candidatesOf)].map(
    (candidate, order) => ({ ...candidate, order }),
  );
  const ranked = rank(candidates);
  let room = input.maxChars - countCodePoints(heading) - (tally === '' ? 0 : countCodePoints(tally) + 1);
  const chosen: Candidate[] = [];
  for (const candidate of ranked) {
    const chars = countCodePoints(candidate.text) + countCodePoints(String(candidate.entry)) + 5;
    if (chars > room || chosen.some((other) => shares(other.terms, candidate.terms) > 0.7)) continue;
    chosen.push(candidate);
    room -= chars;
    if (room < 40) break;
  }
  const lines = chosen
    .toSorted((a, b) => a.entry - b.entry || a.order - b.order)
    .map(({ entry, text }) => `- #${entry} ${text}`);
  return cutStart([heading, ...lines, ...(tally === '' ? [] : [tally])].join('\n'), Math.max(0, input.maxChars));
}

/** Frequent in the conversation is central, everywhere is empty: the weight of a term rises and falls with its spread. */
function rank(candidates: readonly Candidate[]): Candidate[] {
  const spread = new Map<string, number>();
  for (const { terms } of candidates) for (const term of terms) spread.set(term, (spread.get(term) ?? 0) + 1);
  const total = Math.max(1, candidates.length);
  const score = (candidate: Candidate): number => {
    let sum = 0;
    for (const term of candidate.terms) {
      const share = (spread.get(term) ?? 0) / total;
      sum += Math.log1p(spread.get(term) ?? 0) * Math.max(0.1, 1 - 4 * share);
    }
    const recency = 0.75 + (0.5 * candidate.order) / total;
    return (candidate.weight * recency * sum) / Math.sqrt(candidate.terms.size + 4);
  };
  return candidates
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .toSorted((a, b) => b.score - a.score || a.candidate.order - b.candidate.order)
    .map(({ candidate }) => candidate);
}

function candidatesOf(entry: ConversationEntry): Candidate[] {
  if (entry.kind === 'assistant')
    return sentencesOf(entry.entry, answerText(entry.content), entry.calls.length === 0 ? 1.5 : 1);
  if (entry.kind === 'result' && entry.entry !== null && entry.status !== 'ok') {
    const line = splitSentences(cutStart(contentText(entry.content), 4_000))[0]?.text;
    return line === undefined ? [] : [candidate(entry.entry, `${entry.name} → ${entry.status}: ${line}`, 1)];
  }
  if (entry.kind === 'result' && entry.entry !== null)
    return sentencesOf(entry.entry, cutStart(contentText(entry.content), 2_000), 0.25).slice(0, 2);
  return entry.kind === 'documents' ? sentencesOf(entry.entry, contentText(entry.content), 0.4) : [];
}

function sentencesOf(entry: number, text: string, weight: number): Candidate[] {
  const sentences = splitSentences(text.length > 20_000 ? `${cutStart(text, 10_000)}\n${cutEnd(text, 10_000)}` : text);
  const kept =
    sentences.length <= MAX_PER_ENTRY
      ? sentences
      : [...sentences.slice(0, MAX_PER_ENTRY / 2), ...sentences.slice(-MAX_PER_ENTRY / 2)];
  return kept.map((sentence) => candidate(entry, sentence.text, weight));
}

/** Decisions and outcomes, in the words that people use for them. */
const TELLING =
  /\b(?:because|decided?|therefore|instead|must|should|fixed|done|found|failed|error|bug|caused?|works?|passes|created|changed|removed|added|agreed|refund|booked|confirmed)\b|完成|错误|决定|原因|потому|решен|ошибк|готово/iu;

function candidate(entry: number, text: string, weight: number): Candidate {
  const line = countCodePoints(text) <= MAX_LINE_CHARS ? text : `${cutStart(text, MAX_LINE_CHARS - 1)}…`;
  const clean = wellFormed(line).replace(/\s+/gu, ' ').trim();
  const bonus =
    (TELLING.test(clean) ? 1.3 : 1) * (anchorsOf(clean).length > 0 ? 1.2 : 1) * (/[?？]$/u.test(clean) ? 0.5 : 1);
  return { entry, order: 0, text: clean, terms: new Set(termsOf(clean)), weight: weight * bonus };
}

/** Lines of an older summary keep their entry; those without one stand at the beginning. */
function previousLines(previous: string | null): Candidate[] {
  if (previous === null) return [];
  return summaryText(previous)
    .split('\n')
    .filter((line) => !/^As of #\d+:$/u.test(line) && !line.startsWith(TALLY) && !isBlank(line))
    .map((line) => {
      const labelled = /^-\s+#(\d{1,9})\s+(.*)$/u.exec(line);
      return labelled === null
        ? candidate(0, line.replace(/^[-*]\s+/u, ''), 1.2)
        : candidate(Number(labelled[1]), labelled[2] ?? '', 1.2);
    })
    .filter(({ text }) => text !== '');
}

const TALLY = 'Tools used: ';

/** `Tools used: search 12 (2 not ok), read 3`: the ten most used. */
function toolTally(entries: readonly ConversationEntry[]): string {
  const counts = new Map<string, { all: number; bad: number }>();
  for (const entry of entries) {
    if (entry.kind !== 'result') continue;
    const name = cutStart(wellFormed(entry.name), 64);
    const count = counts.get(name) ?? { all: 0, bad: 0 };
    counts.set(name, { all: count.all + 1, bad: count.bad + (entry.status === 'ok' ? 0 : 1) });
  }
  const named = [...counts].toSorted(([a, one], [b, other]) => other.all - one.all || (a < b ? -1 : 1)).slice(0, 10);
  return named.length === 0
    ? ''
    : TALLY + named.map(([name, { all, bad }]) => `${name} ${all}${bad > 0 ? ` (${bad} not ok)` : ''}`).join(', ');
}

function shares(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  if (small.size === 0) return 1;
  let common = 0;
  for (const term of small) if (large.has(term)) common += 1;
  return common / small.size;
}
