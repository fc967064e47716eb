import { countCodePoints, type ConversationEntry } from '../../libs/context/src/index.js';
import { anchorsOf } from '../../libs/context/src/summary/anchors.js';
import { compactInRounds, SUMMARISERS, type Summariser } from '../../libs/context/src/testing/compaction-rounds.js';

export const ROUNDS = [1, 3, 5, 10];
export const BOUND_CHARS = 12_000;

/** What a summary must not lose, and where it is looked for. */
export type Kind = 'planted' | 'planted_in_data' | 'user_constraints' | 'paths' | 'ids' | 'numbers' | 'decisions';
export type Anchors = { readonly [kind in Kind]: readonly string[] };

export type Measured = {
  summariser: string;
  rounds: number;
  /** Kept ÷ all, by kind; null where the session has none. */
  kept: { readonly [kind in Kind]: number | null };
  chars: number;
  sourceChars: number;
  ms: number;
};

const said = (entry: ConversationEntry): string => {
  if (entry.kind === 'memory') return '';
  const parts: readonly { type: string; text?: unknown }[] = entry.content;
  return parts.flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : [])).join('\n');
};

/** What it says and, of an answer, what it calls. */
const charsOf = (entry: ConversationEntry): number =>
  countCodePoints(said(entry)) +
  (entry.kind === 'assistant' ? entry.calls.reduce((sum, call) => sum + countCodePoints(call.arguments), 0) : 0);

const CONSTRAINT = /\b(?:must|should|never|always|do not|don't|only|please|prefer|instead)\b|必须|不要|请/iu;
const DECISION = /\b(?:decided|because|instead of|fixed|the cause|turned out|I will|we will|agreed)\b/iu;
/** Of each kind at most so many, the same share of old and new ones: a bounded set, as a person would write it down. */
const MOST_OF_A_KIND = 40;

/** Every n-th, so that a bounded set is spread over the whole session. */
function spread(all: readonly string[]): string[] {
  const unique = [...new Set(all)];
  const step = Math.max(1, unique.length / MOST_OF_A_KIND);
  return Array.from({ length: Math.min(unique.length, MOST_OF_A_KIND) }, (_, n) => unique[Math.floor(n * step)] ?? '');
}

/** Found by rules that do not know how the summary is made, but for what an identifier looks like. */
export function anchorsIn(entries: readonly ConversationEntry[], planted: readonly string[]): Anchors {
  const spoken = entries.filter((entry) => entry.kind === 'user' || entry.kind === 'assistant');
  const named = spoken.flatMap((entry) => anchorsOf(said(entry)));
  const users = entries.flatMap((entry) => (entry.kind === 'user' && !entry.injected ? [said(entry)] : []));
  const sentences = spoken.flatMap((entry) =>
    entry.kind === 'assistant' ? said(entry).split(/(?<=[.!?。])\s+/u) : [],
  );
  const isPath = (anchor: string): boolean => /[/\\]/.test(anchor) || /\.[a-z]{1,4}$/i.test(anchor);
  const isNumber = (anchor: string): boolean => /^[#\d.,\s%€$]+$/.test(anchor);
  return {
    planted,
    planted_in_data: planted,
    user_constraints: spread(users.filter((text) => CONSTRAINT.test(text) && countCodePoints(text) <= 1_000)),
    paths: spread(named.filter(isPath)),
    ids: spread(named.filter((anchor) => !isPath(anchor) && !isNumber(anchor))),
    numbers: spread(named.filter(isNumber)),
    decisions: spread(
      sentences
        .filter((text) => DECISION.test(text) && text.length >= 30 && text.length <= 240)
        .map((text) => text.trim()),
    ),
  };
}

/** `inSentences` and `inData`: the same session, planted in two ways; all else is looked for in the first. */
export type PlantedSession = {
  inSentences: readonly ConversationEntry[];
  inData: readonly ConversationEntry[];
};

export function measureSession(session: PlantedSession, anchors: Anchors): Measured[] {
  return Object.entries(SUMMARISERS).flatMap(([summariser, summarise]) =>
    ROUNDS.map((rounds) => measureRounds(session, anchors, { summariser, summarise, rounds })),
  );
}

function measureRounds(
  { inSentences, inData }: PlantedSession,
  anchors: Anchors,
  { summariser, summarise, rounds }: { summariser: string; summarise: Summariser; rounds: number },
): Measured {
  const lastOf = (entries: readonly ConversationEntry[]): string =>
    compactInRounds(entries, rounds, summarise, BOUND_CHARS).at(-1)?.summary ?? '';
  const before = performance.now();
  const last = lastOf(inSentences);
  const ms = performance.now() - before;
  const kept = (wanted: readonly string[], summary = last): number | null =>
    wanted.length === 0 ? null : wanted.filter((anchor) => summary.includes(anchor.trim())).length / wanted.length;
  return {
    summariser,
    rounds,
    kept: {
      planted: kept(anchors.planted),
      planted_in_data: kept(anchors.planted_in_data, lastOf(inData)),
      user_constraints: kept(anchors.user_constraints),
      paths: kept(anchors.paths),
      ids: kept(anchors.ids),
      numbers: kept(anchors.numbers),
      decisions: kept(anchors.decisions),
    },
    chars: countCodePoints(last),
    sourceChars: inSentences.reduce((sum, entry) => sum + charsOf(entry), 0),
    ms,
  };
}
