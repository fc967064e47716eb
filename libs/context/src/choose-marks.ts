import { effectiveCaps, type Caps } from './caps.js';
import { elisionMarks, isBlocksTriggered } from './choose-elision.js';
import type { Draft } from './draft.js';
import { movedMarks, weighMove, withoutOldReasoning, type FrontierStart } from './frontier.js';
import type { ModelFacts } from './neutral.js';
import { isOverBudget, requestSize } from './over-budget.js';
import type { EffectivePolicy } from './policy/index.js';
import type { Marks } from './stages/stage.js';
import type { View } from './view/read-view.js';

export type MarksChoice = {
  readonly view: View;
  readonly policy: EffectivePolicy;
  readonly model: ModelFacts;
  readonly hasSystem: boolean;
  /** Tokens of the model to raw ones. */
  readonly ratio: number;
  readonly start: FrontierStart;
  readonly draft: (marks: Marks) => Draft;
  readonly capsOf: (draft: Draft) => Caps;
};

/** Where the boundaries of `window` and `blocks` stand for this build; what `budget` leaves out comes later. */
export function chooseMarks(choice: MarksChoice): Draft {
  const { view, policy, model, ratio } = choice;
  const draft = windowDraft(choice);
  if (policy.blocks === null || !isBlocksTriggered(draft, policy.blocks, model.windowTokens, ratio)) return draft;
  const marks = elisionMarks(draft, view, policy.blocks, model, ratio);
  return marks === draft.marks ? draft : choice.draft(marks);
}

/**
 * With a number n the boundaries of forget and mask move in steps of n turns. `auto` slides where a rewrite costs nothing (no
 * prompt cache, no earlier build, a new summary), where it pays, and where the request would be too large otherwise: masking
 * comes before summarising and leaving out.
 */
function windowDraft(choice: MarksChoice): Draft {
  const { view, policy, model, start, draft } = choice;
  const isRewritten =
    start.isAnew || (view.last?.frontier.compaction_id ?? null) !== (view.compaction.live?.id ?? null);
  const begin = isRewritten ? { ...withoutOldReasoning(start.marks, view), staleChars: 0 } : start.marks;
  if (policy.window === null) return draft(begin);
  const step = policy.window.mask_batch_turns;
  if (step !== 'auto') return draft(movedMarks(begin, view, policy.window, step));
  const slid = movedMarks(begin, view, policy.window, 1);
  if (slid === begin || !model.promptCaching || isRewritten) return draft(slid);
  const now = draft(begin);
  const then = draft(slid);
  const { freed, pays } = weighMove(now.cells, then.cells, begin, view, model);
  if (pays || isTooLarge(choice, now)) return then;
  return { ...now, marks: { ...begin, staleChars: begin.staleChars + freed } };
}

/** Over the soft cap, the budget or the trigger of `blocks`. */
function isTooLarge({ policy, model, ratio, capsOf, hasSystem }: MarksChoice, draft: Draft): boolean {
  const { soft } = capsOf(draft);
  return (
    (soft !== null && draft.layout.chars > soft) ||
    isOverBudget(policy.budget, requestSize(draft, hasSystem), ratio) ||
    isBlocksTriggered(draft, policy.blocks, model.windowTokens, ratio)
  );
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
