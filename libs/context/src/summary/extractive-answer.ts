import { countCodePoints } from '../shape/index.js';
import { averageLength, indexSentences, overlap, relevance, type Indexed } from './rank-sentences.js';
import { splitSentences } from './sentences.js';
import { termsOf } from './terms.js';

/** `texts` in order of preference among equals; `maxChars` bounds the answer. */
export type ExtractiveQuestion = { question: string; texts: readonly string[]; maxChars: number };
/** `found`: false when no sentence has to do with the question, `text` then says so. */
export type ExtractiveAnswer = { text: string; found: boolean };

const NOTHING_FOUND = 'I found nothing about that in what I was given.';
const MAX_SENTENCES = 4;
/** Of the best sentence's score, what another must have to be part of the answer: one beside it, one from elsewhere. */
const SHARE_OF_BEST = 0.45;
const SHARE_OF_BEST_ELSEWHERE = 0.7;
/** How much a sentence gains from one before or behind it in the same paragraph: an answer often goes on for a sentence. */
const SHARE_OF_NEIGHBOUR = 0.25;

/**
 * Answers a question with sentences of `texts`, in their order there: no model, no network, the same bytes each time. For
 * first runs and tests; it finds what is written and understands nothing.
 */
export function extractiveAnswer(input: ExtractiveQuestion): ExtractiveAnswer {
  const greeting = answerToGreeting(input.question);
  if (greeting !== null) return { text: greeting, found: false };
  const { indexed, rarity } = indexSentences(
    input.texts.flatMap((text, source) =>
      splitSentences(text).map((sentence) => ({ ...sentence, paragraph: source * 100_000 + sentence.paragraph })),
    ),
  );
  const wanted = new Set(termsOf(input.question));
  const average = averageLength(indexed);
  const own = indexed.map(
    (candidate) => relevance(candidate, wanted, rarity, average) * (isQuestion(candidate) ? 0.3 : 1),
  );
  const scores = own.map(
    (score, index) =>
      score + SHARE_OF_NEIGHBOUR * Math.max(neighbour(indexed, own, index, -1), neighbour(indexed, own, index, 1)),
  );
  const chosen = choose(indexed, scores, input.maxChars);
  if (chosen.length === 0) return { text: NOTHING_FOUND, found: false };
  return { text: joined(chosen.toSorted((a, b) => a - b).map((index) => indexed[index])), found: true };
}

function choose(indexed: readonly Indexed[], scores: readonly number[], maxChars: number): number[] {
  const order = scores
    .map((_, index) => index)
    .filter((index) => (scores[index] ?? 0) > 0)
    .toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const best = scores[order[0] ?? -1] ?? 0;
  const chosen: number[] = [];
  const isWeakElsewhere = (index: number): boolean =>
    (scores[index] ?? 0) < best * SHARE_OF_BEST_ELSEWHERE &&
    indexed[index]?.sentence.paragraph !== indexed[order[0] ?? -1]?.sentence.paragraph;
  let room = maxChars;
  for (const index of order) {
    if (chosen.length === MAX_SENTENCES || (scores[index] ?? 0) < best * SHARE_OF_BEST) break;
    const candidate = indexed[index];
    if (
      candidate === undefined ||
      isWeakElsewhere(index) ||
      chosen.some((other) => overlap(indexed[other]?.terms ?? [], candidate.terms) > 0.8)
    )
      continue;
    const size = countCodePoints(candidate.sentence.text) + 1;
    if (size > room) continue;
    chosen.push(index);
    room -= size;
  }
  return chosen;
}

function neighbour(indexed: readonly Indexed[], scores: readonly number[], index: number, step: -1 | 1): number {
  return indexed[index + step]?.sentence.paragraph === indexed[index]?.sentence.paragraph
    ? (scores[index + step] ?? 0)
    : 0;
}

/** Sentences of one paragraph stand in one line, scripts without spaces are joined without. */
function joined(chosen: readonly (Indexed | undefined)[]): string {
  let text = '';
  let paragraph: number | null = null;
  for (const candidate of chosen) {
    if (candidate === undefined) continue;
    if (paragraph !== null)
      text += candidate.sentence.paragraph !== paragraph ? '\n' : /[。！？｡」』）]$/u.test(text) ? '' : ' ';
    text += candidate.sentence.text;
    paragraph = candidate.sentence.paragraph;
  }
  return text;
}

const isQuestion = (candidate: Indexed): boolean => /[?？؟]["'”’»)\]]*$/u.test(candidate.sentence.text);

/** A short reply where there is nothing to look up. */
function answerToGreeting(question: string): string | null {
  const words = question.toLowerCase().match(/\p{L}+/gu) ?? [];
  if (words.length === 0 || words.length > 6) return null;
  const said = words.join(' ');
  if (/\b(?:thanks|thank you|thx|danke|merci|gracias)\b|спасибо|谢谢/u.test(said))
    return 'You are welcome. Is there anything else you would like to know?';
  if (/\b(?:bye|goodbye|see you|tschüss|au revoir)\b|до свидания|再见/u.test(said))
    return 'Goodbye, and thank you for writing.';
  if (
    /^(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|hallo|bonjour|hola|привет|здравствуйте|你好)(?:$| )/u.test(
      said,
    )
  )
    return 'Hello. What would you like to know?';
  return null;
}
