import type { Draft } from './draft.js';
import { exactShare } from './exact-share.js';
import { withoutOldReasoning } from './frontier.js';
import type { ModelFacts } from './neutral.js';
import type { EffectivePolicy } from './policy/index.js';
import { isFinalAnswer, isOutline } from './stages/elide.js';
import { placeOf, type Marks } from './stages/stage.js';
import type { View } from './view/read-view.js';

type Blocks = NonNullable<EffectivePolicy['blocks']>;

/** A complete block: `end` is the entry of its final answer; raw tokens of all that is shown of it, and of its outline. */
type Block = { readonly end: number; readonly whole: number; readonly outline: number };

/** Tokens that `blocks` works with: the smaller of its own width and the model's window; null: neither is known. */
export function effectiveWidth(blocks: Blocks, windowTokens: number | null): number | null {
  const widths = [blocks.window_width_tokens, windowTokens].filter((width) => width !== null);
  return widths.length === 0 ? null : Math.min(...widths);
}

/** True: the request is as large as the trigger of `context.blocks`, which counts all of it. */
export function isBlocksTriggered(
  draft: Draft,
  blocks: Blocks | null,
  windowTokens: number | null,
  ratio: number,
): boolean {
  const width = blocks === null ? null : effectiveWidth(blocks, windowTokens);
  if (blocks === null || width === null) return false;
  return Math.ceil(draft.layout.tokens * ratio) >= exactShare(width, blocks.compaction_trigger_ratio);
}

/**
 * The boundaries once the trigger is reached: the newest complete blocks whole while they fit into the target, at most
 * `keep_last_blocks`, the newest always; of older ones, newest first and contiguous, the outlines while they fit. System
 * prompt and open block are beside the target. Boundaries only move forward, and hold until the trigger is reached again.
 */
export function elisionMarks(draft: Draft, view: View, blocks: Blocks, model: ModelFacts, ratio: number): Marks {
  const { marks } = draft;
  const width = effectiveWidth(blocks, model.windowTokens);
  if (width === null) return marks;
  const target = exactShare(width, blocks.compaction_target_ratio);
  const newestFirst = completeBlocks(draft).reverse();
  let used = draft.layout.summary?.tokens ?? 0;
  const fits = (tokens: number): boolean => Math.ceil((used + tokens) * ratio) <= target;
  let whole = 0;
  for (const block of newestFirst) {
    const isKept = whole < blocks.keep_last_blocks && block.end > marks.elidedTo && (whole === 0 || fits(block.whole));
    if (!isKept) break;
    used += block.whole;
    whole += 1;
  }
  let kept = whole;
  for (const block of newestFirst.slice(whole)) {
    if (!fits(block.outline)) break;
    used += block.outline;
    kept += 1;
  }
  const elidedTo = Math.max(marks.elidedTo, newestFirst[whole]?.end ?? 0);
  const leftOutTo = Math.max(marks.leftOutTo, newestFirst[kept]?.end ?? 0);
  if (elidedTo === marks.elidedTo && leftOutTo === marks.leftOutTo) return marks;
  return withoutOldReasoning({ ...marks, elidedTo, leftOutTo }, view);
}

/** Oldest first. What is pinned, and what stands in front of the boundaries, is in none: it stays as it is. */
function completeBlocks({ cells, marks }: Draft): Block[] {
  const behind = Math.max(marks.leftOutTo, marks.truncatedTo);
  const blocks: Block[] = [];
  let whole = 0;
  let outline = 0;
  for (const cell of cells) {
    if (cell.shown === null || cell.pinned || placeOf(cell) <= behind) continue;
    whole += cell.shown.tokens;
    if (isOutline(cell)) outline += cell.shown.tokens;
    if (!isFinalAnswer(cell)) continue;
    blocks.push({ end: placeOf(cell), whole, outline });
    whole = 0;
    outline = 0;
  }
  return blocks;
}
