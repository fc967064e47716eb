import type { ContentPart, JsonObject, StoredEvent } from '#libs/domain';
import { measureItem, measureOnce, type KnownForms, type Measured } from './measure/measured-item.js';
import { fixedParts } from './measure/fixed-parts.js';
import type { Manifest } from './neutral.js';
import type { MemoryPolicy } from './policy/policy-schema.js';
import type { Cell } from './stages/stage.js';
import type { ShownItem } from './view/entry.js';
import { memoryContent, summaryContent } from './view/fence.js';
import type { LiveCompaction } from './view/compaction-state.js';

/** The request in its order, before the shape: what stands in front of the tail, and the tail. */
export type Layout = {
  readonly summary: Measured | null;
  readonly pinned: readonly Cell[];
  readonly memory: Measured | null;
  readonly tail: readonly Cell[];
  /** Sizes of all of it, system prompt and tools included. `tokens` is the raw estimate. */
  readonly chars: number;
  readonly tokens: number;
};

export type LayoutParts = {
  readonly summary: Measured | null;
  readonly memory: Measured | null;
  readonly fixedChars: number;
  readonly fixedTokens: number;
};

/** What does not come from entries. `liveEvent`: that of the live summary. */
export function layoutParts(
  manifest: Manifest,
  live: LiveCompaction | null,
  liveEvent: StoredEvent | null,
  memory: JsonObject | null,
  memoryPolicy: MemoryPolicy,
  known: KnownForms,
): LayoutParts {
  const fixed = fixedParts(manifest);
  const shownMemory = beforeTailMemory(memory, memoryPolicy);
  const { model } = manifest;
  const forms = liveEvent === null ? null : known.under(model)(liveEvent);
  return {
    // A long text that stands in every build until the next one comes: looked at once.
    summary: live === null ? null : measureOnce(forms, 'summary', model, () => userItem(summaryContent(live))),
    memory: shownMemory === null ? null : measureItem(userItem(shownMemory), model),
    fixedChars: fixed.systemChars + fixed.toolsChars,
    fixedTokens: fixed.tokens,
  };
}

const userItem = (content: readonly ContentPart[]): ShownItem => ({
  role: 'user',
  entry: null,
  content,
  state: 'whole',
  pinned: false,
});

/** The memory block of `placement: before_tail`; null: none is shown. */
export function beforeTailMemory(memory: JsonObject | null, policy: MemoryPolicy): ContentPart[] | null {
  const isShown = policy.placement === 'before_tail' && memory !== null && Object.keys(memory).length > 0;
  return isShown ? memoryContent(memory, policy.max_value_chars) : null;
}

/** System, summary, pinned, memory, tail in order of entries. */
export function layOut(cells: readonly Cell[], parts: LayoutParts): Layout {
  let chars = parts.fixedChars + (parts.summary?.chars ?? 0) + (parts.memory?.chars ?? 0);
  let tokens = parts.fixedTokens + (parts.summary?.tokens ?? 0) + (parts.memory?.tokens ?? 0);
  const pinned: Cell[] = [];
  const tail: Cell[] = [];
  for (const cell of cells) {
    if (cell.shown === null) continue;
    chars += cell.shown.chars;
    tokens += cell.shown.tokens;
    (cell.pinned ? pinned : tail).push(cell);
  }
  return { summary: parts.summary, memory: parts.memory, pinned, tail, chars, tokens };
}
