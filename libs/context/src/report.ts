import type { Json, JsonObject } from '#libs/domain';
import type { Omitted } from './build-result.js';
import type { Caps } from './caps.js';
import type { Draft } from './draft.js';
import type { JsonReport } from './neutral.js';
import type { Repair } from './shape/index.js';
import type { Cell } from './stages/stage.js';
import type { RecordedBase } from './view/recorded-build.js';
import type { View } from './view/read-view.js';

export type ReportFacts = {
  readonly draft: Draft;
  readonly caps: Caps;
  readonly isOverBudget: boolean;
  readonly chars: number;
  readonly charsUnmanaged: number;
  readonly tokens: number;
  readonly tokenRatio: number;
  readonly prefix: { readonly chars: number; readonly tokens: number };
  readonly repairs: readonly Repair[];
  readonly base: RecordedBase;
};

/** Aggregates of a build as `LlmCallStarted.report` stores them (api.md, `…/calls/{n}/context`). */
export function reportOf(facts: ReportFacts): JsonReport {
  const { draft, caps, base } = facts;
  return {
    stages: draft.records.map((record) => ({
      stage: record.stage,
      removed: record.removed,
      chars_before: record.charsBefore,
      chars_after: record.charsAfter,
    })),
    states: countBy(draft.cells.map(({ state }) => state)),
    chars: facts.chars,
    chars_unmanaged: facts.charsUnmanaged,
    tokens: facts.tokens,
    token_ratio: facts.tokenRatio,
    soft_cap: caps.soft,
    hard_cap: caps.hard,
    ...(facts.isOverBudget ? { over_budget: true } : {}),
    common_prefix_chars: facts.prefix.chars,
    cached_tokens: { predicted: facts.prefix.tokens, reported: null },
    repairs: Object.entries(countBy(facts.repairs.map(({ rule }) => rule))).map(([rule, count]): JsonObject => ({
      rule,
      count,
    })),
    base: { ...base },
  };
}

function countBy(words: readonly string[]): { [word: string]: Json & number } {
  const counts: { [word: string]: number } = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** What is not in the request, as runs of neighbouring entries in one state. */
export function omittedEntries(view: View, cells: readonly Cell[]): Omitted[] {
  const left = cells.flatMap(({ entry, state, shown }) =>
    shown === null && entry.source.entry !== null
      ? [{ entry: entry.source.entry, state, chars: entry.source.chars }]
      : [],
  );
  const all = [...left, ...view.excluded].sort((a, b) => a.entry - b.entry);
  const runs: { entries: [number, number]; state: Omitted['state']; chars: number }[] = [];
  for (const { entry, state, chars } of all) {
    const run = runs.at(-1);
    if (run !== undefined && run.state === state && run.entries[1] === entry - 1) {
      run.entries[1] = entry;
      run.chars += chars;
    } else runs.push({ entries: [entry, entry], state, chars });
  }
  return runs;
}
