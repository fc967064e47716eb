import type { Caps } from './caps.js';
import { expectedPrefix } from './common-prefix.js';
import type { Draft } from './draft.js';
import { factsKey, leftBehind, showAlike } from './frontier.js';
import { fixedParts } from './measure/fixed-parts.js';
import type { JsonReport } from './neutral.js';
import type { Build } from './prepare-build.js';
import { firstEntry, rangeTurns } from './propose-compaction.js';
import { reportOf } from './report.js';
import type { ShapedDraft } from './request.js';
import { placeOf, type Cell } from './stages/stage.js';
import type { RecordedBase } from './view/recorded-build.js';
import { recordCompaction } from './view/record-compaction.js';

/** A build that is done but for what becomes of it. */
export type Outcome = {
  readonly draft: Draft;
  readonly shaped: ShapedDraft;
  readonly caps: Caps;
  /** Above a bound of `context.budget`. */
  readonly isOverBudget: boolean;
};

/** The report of a build, with what the next one goes on from (`base`). */
export function buildReport(build: Build, { draft, shaped, caps, isOverBudget }: Outcome): JsonReport {
  const { view, input, ratio } = build;
  const fixed = fixedParts(input.manifest);
  const hasPrevious = view.last !== null && input.purpose !== 'unmanaged';
  const prefix = hasPrevious
    ? expectedPrefix(showAlike(draft.marks, build.start.marks) ? draft : build.draft(build.start.marks), draft, view, {
        fixed,
        model: input.manifest.model,
      })
    : null;
  const isCached = input.manifest.model.promptCaching && view.last?.model === input.manifest.model.id;
  const base = baseOf(build, draft);
  return reportOf({
    draft,
    caps,
    isOverBudget,
    chars: shaped.chars,
    charsUnmanaged: build.parts.fixedChars + base.unmanaged_chars,
    tokens: Math.ceil(draft.layout.tokens * ratio),
    tokenRatio: ratio,
    prefix: {
      chars: prefix?.chars ?? 0,
      tokens: isCached && prefix !== null ? Math.floor(prefix.tokens() * ratio) : 0,
    },
    repairs: [...view.repairs, ...shaped.repairs],
    base,
  });
}

function baseOf(build: Build, draft: Draft): RecordedBase {
  const { view, input } = build;
  const { marks } = draft;
  const counted = countedChars(build, draft);
  const boundary = leftBehind(marks, view);
  // Of blocks whose outline is shown the whole is read: boundaries of other stages may come to lie in them.
  const isInOutlines = (cell: Cell): boolean => placeOf(cell) > boundary && placeOf(cell) <= marks.elidedTo;
  const isOld = (entry: number | null): boolean => entry !== null && entry < boundary;
  const summarisedTo = view.compaction.live?.entries[1] ?? 0;
  const isForgotten = (entry: number | null): boolean => isOld(entry) && (entry ?? 0) > summarisedTo;
  let needsFrom = input.uptoSeq + 1;
  const singles: number[] = [];
  for (const cell of draft.cells) {
    const { seq, entry } = cell.entry.source;
    if (seq === null || (cell.shown === null && !isInOutlines(cell))) continue;
    if (isOld(entry)) singles.push(seq);
    else needsFrom = Math.min(needsFrom, seq);
  }
  return {
    view: view.key,
    head: fixedParts(input.manifest).key,
    facts: factsKey(input.manifest.model),
    turns: view.turnCount,
    users: view.userCount,
    original_chars: counted.original,
    unmanaged_chars: counted.unmanaged,
    range_turns: rangeTurns(view),
    first_entry: firstEntry(view),
    token_ratios: { ...build.ratios },
    raw_tokens: draft.layout.tokens,
    stale_chars: marks.staleChars,
    shortening: marks.shortening === null ? null : { min_chars: marks.shortening.minChars, to: marks.shortening.to },
    needs_from: needsFrom,
    pinned: draft.cells.flatMap(({ entry, pinned }) =>
      pinned && entry.source.entry !== null ? [entry.source.entry] : [],
    ),
    pinned_seqs: [...new Set([...singles, ...headSeq(draft, isForgotten)])],
    rolled_back: view.compaction.rolledBack.length,
    compaction: recordCompaction(view.compaction),
  };
}

/**
 * Where single user messages are shown of what is left behind, but for the summary: its last user message, since without it
 * kept turns would count to the exchange of an older one.
 */
function headSeq({ cells }: Draft, isForgotten: (entry: number | null) => boolean): number[] {
  const users = cells.filter(({ entry: { source } }) => source.kind === 'user' && isForgotten(source.entry));
  const seq = users.at(-1)?.entry.source.seq ?? null;
  return seq !== null && users.some(({ shown }) => shown !== null) ? [seq] : [];
}

/**
 * Sums over the view: what the last build counted, and what came since. A result that came after its call was sent counts
 * where it is shown: of a call that is not, no build needs the answer (law C11).
 */
function countedChars({ view, base }: Build, draft: Draft): { original: number; unmanaged: number } {
  const uptoSeq = view.last?.uptoSeq ?? 0;
  let original = view.last?.base.original_chars ?? 0;
  let unmanaged = view.last?.base.unmanaged_chars ?? 0;
  let at = -1;
  for (const cell of draft.cells) {
    at += 1;
    const { source } = cell.entry;
    const answer = source.kind === 'result' ? (view.eventOf.get(source.call.entry)?.seq ?? 0) : source.seq;
    if (answer <= uptoSeq && (cell.shown === null || (source.seq ?? 0) <= uptoSeq)) continue;
    unmanaged += base.cells[at]?.shown?.chars ?? 0;
    if (source.seq !== null && cell.state !== 'repaired_away') original += source.chars;
  }
  return { original, unmanaged };
}
