import type { Sentence } from './sentences.js';
import { termsOf } from './terms.js';

/** A sentence with its terms; those of its heading count half. */
export type Indexed = { sentence: Sentence; terms: string[]; headingTerms: Set<string> };

/** How rare each term is among the sentences of the same input: the inverse document frequency of BM25, never negative. */
export type Rarity = (term: string) => number;

export function indexSentences(sentences: readonly Sentence[]): { indexed: Indexed[]; rarity: Rarity } {
  const indexed = sentences.map((sentence) => ({
    sentence,
    terms: termsOf(sentence.text),
    headingTerms: new Set(sentence.heading === null ? [] : termsOf(sentence.heading)),
  }));
  const frequency = new Map<string, number>();
  for (const { terms } of indexed)
    for (const term of new Set(terms)) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  const total = indexed.length;
  return {
    indexed,
    rarity: (term) => Math.log(1 + (total - (frequency.get(term) ?? 0) + 0.5) / ((frequency.get(term) ?? 0) + 0.5)),
  };
}

const SATURATION = 1.2;
const LENGTH_SHARE = 0.4;

/** BM25 of one sentence for a set of terms (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009), k1 1.2, b 0.4. */
export function relevance(
  candidate: Indexed,
  wanted: ReadonlySet<string>,
  rarity: Rarity,
  averageLength: number,
): number {
  const counts = new Map<string, number>();
  for (const term of candidate.terms) if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const norm = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * candidate.terms.length) / Math.max(1, averageLength));
  let score = 0;
  for (const term of wanted) {
    const count = counts.get(term) ?? 0;
    if (count > 0) score += (rarity(term) * count * (SATURATION + 1)) / (count + norm);
    if (candidate.headingTerms.has(term)) score += rarity(term) * (count > 0 ? 0.25 : 0.5);
  }
  return score;
}

/** Share of the smaller set of terms that both hold: 1 says the same, 0 nothing in common. */
export function overlap(a: readonly string[], b: readonly string[]): number {
  const left = new Set(a);
  const right = new Set(b);
  if (left.size === 0 || right.size === 0) return 0;
  let common = 0;
  for (const term of left) if (right.has(term)) common += 1;
  return common / Math.min(left.size, right.size);
}

export const averageLength = (indexed: readonly Indexed[]): number =>
  indexed.reduce((sum, { terms }) => sum + terms.length, 0) / Math.max(1, indexed.length);
