import type { Draft } from './draft.js';
import type { Layout } from './layout.js';
import type { EffectivePolicy } from './policy/index.js';
import type { Cell } from './stages/stage.js';
import type { View } from './view/read-view.js';

type Budget = NonNullable<EffectivePolicy['budget']>;

/** What a request has of the things that `context.budget` and the caps bound. `tokens` are raw. */
export type RequestSize = { readonly chars: number; readonly tokens: number; readonly items: number };

/** Items: messages (system prompt and summary too), calls and results. */
export function requestSize({ layout }: Draft, hasSystem: boolean): RequestSize {
  return { chars: layout.chars, tokens: layout.tokens, items: Number(hasSystem) + layoutItems(layout) };
}

function layoutItems({ summary, memory, pinned, tail }: Layout): number {
  let items = Number(summary !== null) + Number(memory !== null);
  for (const cell of pinned) items += itemsOf(cell);
  for (const cell of tail) items += itemsOf(cell);
  return items;
}

/** An answer counts with its calls. */
export function itemsOf({ shown }: Cell): number {
  if (shown === null) return 0;
  return shown.item.role === 'assistant' ? 1 + shown.item.calls.length : 1;
}

/** Strictly above one of the bounds; a bound that is null bounds nothing. `ratio`: tokens of the model to raw ones. */
export function isOverBudget(budget: Budget | null, size: RequestSize, ratio: number): boolean {
  if (budget === null) return false;
  const { max_tokens: maxTokens, max_context_items: maxItems } = budget;
  return (
    (maxTokens !== null && Math.ceil(size.tokens * ratio) > maxTokens) || (maxItems !== null && size.items > maxItems)
  );
}

/** The first exchange that is not summarised: the last `keep_recent_turns` ones stay, the current one always. */
export const firstKeptExchange = (view: View, budget: Budget): number =>
  Math.max(1, view.userCount) - Math.max(1, budget.keep_recent_turns);

/** Chars that fit `max_tokens`, for what is bounded in chars; null: tokens are not bounded. */
export function budgetChars(budget: Budget | null, { layout }: Draft, ratio: number): number | null {
  const tokens = layout.tokens * ratio;
  if (budget?.max_tokens == null || tokens <= 0) return null;
  return Math.floor((budget.max_tokens * layout.chars) / tokens);
}
