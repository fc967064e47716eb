import { effectiveCaps, type Caps } from './caps.js';
import type { Draft } from './draft.js';
import { movedMarks, pays, withoutOldReasoning, type FrontierStart } from './frontier.js';
import type { ModelFacts } from './neutral.js';
import type { EffectivePolicy } from './policy/index.js';
import type { Marks } from './stages/stage.js';
import type { View } from './view/read-view.js';

export type MarksChoice = {
  readonly view: View;
  readonly policy: EffectivePolicy;
  readonly model: ModelFacts;
  readonly start: FrontierStart;
  readonly draft: (marks: Marks) => Draft;
  readonly capsOf: (draft: Draft) => Caps;
};

/**
 * Where the boundaries stand for this build. With a number n they move in steps of n turns. `auto` slides where a rewrite
 * costs nothing (no prompt cache, no earlier build, a new summary), where it pays, and where the request would pass the soft
 * cap: masking comes before summarising.
 */
export function chooseMarks(choice: MarksChoice): Draft {
  const { view, policy, model, start, draft } = choice;
  const isRewritten =
    start.isAnew || (view.last?.frontier.compaction_id ?? null) !== (view.compaction.live?.id ?? null);
  const begin = isRewritten ? withoutOldReasoning(start.marks, view) : start.marks;
  if (policy.window === null) return draft(begin);
  const step = policy.window.mask_batch_turns;
  if (step !== 'auto') return draft(movedMarks(begin, view, policy.window, step));
  const slid = movedMarks(begin, view, policy.window, 1);
  if (slid === begin || !model.promptCaching || isRewritten) return draft(slid);
  const now = draft(begin);
  const then = draft(slid);
  const { soft } = choice.capsOf(now);
  const isOverSoft = soft !== null && now.layout.chars > soft;
  return isOverSoft || pays(now.cells, then.cells, view, model) ? then : now;
}

export const capsOfDraft = (
  policy: EffectivePolicy,
  model: ModelFacts,
  ratio: number,
  refusedChars: number | null,
): ((draft: Draft) => Caps) => {
  return ({ layout }) =>
    effectiveCaps(policy, model, { chars: layout.chars, tokens: layout.tokens * ratio }, refusedChars);
};
