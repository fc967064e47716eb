import type { Draft } from './draft.js';
import { itemsOf, type RequestSize } from './over-budget.js';
import type { Marks } from './stages/stage.js';
import type { View } from './view/read-view.js';

/**
 * The marks that leave out whole turns, oldest first, until `fits` says that what is removed is enough, or only protected
 * turns are left: those behind the last user message. A user message goes with the last turn of its exchange.
 */
export function truncationMarks(draft: Draft, view: View, fits: (removed: RequestSize) => boolean): Marks {
  const { marks } = draft;
  const lastUser = view.entries.findLast(({ source }) => source.kind === 'user')?.source.entry ?? 0;
  const sizes = removableByTurn(draft, view);
  const removed = { chars: 0, tokens: 0, items: 0 };
  let to = marks.truncatedTo;
  for (const { index, answer } of view.turns) {
    if (answer.entry >= lastUser || fits(removed)) break;
    const own = sizes.get(index);
    if (own === undefined || answer.entry <= marks.truncatedTo) continue;
    removed.chars += own.chars;
    removed.tokens += own.tokens;
    removed.items += own.items;
    to = answer.entry;
  }
  return to === marks.truncatedTo ? marks : { ...marks, truncatedTo: to };
}

type Sums = { -readonly [K in keyof RequestSize]: RequestSize[K] };

/** By turn: what leaves the request when the turn is the last one that is left out. What is pinned stays or goes unasked. */
function removableByTurn({ cells, protectedEntries }: Draft, view: View): Map<number, Sums> {
  const lastOfExchange = new Map(view.turns.map(({ exchange, index }) => [exchange, index]));
  const sizes = new Map<number, Sums>();
  for (const cell of cells) {
    const { source, turn, exchange } = cell.entry;
    const isProtected = source.entry !== null && protectedEntries.has(source.entry);
    if (cell.shown === null || cell.pinned || isProtected) continue;
    const index = source.kind === 'user' ? (lastOfExchange.get(exchange) ?? turn) : turn;
    const sum = sizes.get(index) ?? { chars: 0, tokens: 0, items: 0 };
    sum.chars += cell.shown.chars;
    sum.tokens += cell.shown.tokens;
    sum.items += itemsOf(cell);
    sizes.set(index, sum);
  }
  return sizes;
}
