import type { StoredEvent } from '#libs/domain';
import type { ModelFacts } from '../neutral.js';
import { fitItem } from '../shape/fit-item.js';
import { formatProfile, type Repair } from '../shape/index.js';
import type { ShownItem } from '../view/entry.js';
import { callsTokens, partsTokens } from './part-tokens.js';
import { callsChars, partsChars, weightsKey } from './part-chars.js';

/** An item as the model's format takes it, with its size. `tokens` is the raw estimate. */
export type Measured = {
  readonly item: ShownItem;
  readonly chars: number;
  readonly tokens: number;
  readonly repairs: readonly Repair[];
};

/** Role, separators: what a provider adds around each message. */
const TOKENS_PER_MESSAGE = 4;

export function measureItem(item: ShownItem, model: ModelFacts): Measured {
  const repairs: Repair[] = [];
  const fitted = fitItem(
    item,
    { profile: formatProfile(model.apiFormat), images: model.images, documents: model.documents, modelId: model.id },
    repairs,
  );
  const calls = fitted.role === 'assistant' ? fitted.calls : [];
  return {
    item: fitted,
    chars: partsChars(fitted.content, model.weights) + callsChars(calls),
    tokens: TOKENS_PER_MESSAGE + partsTokens(fitted.content, model.weights) + callsTokens(calls),
    repairs,
  };
}

const keys = new WeakMap<ModelFacts, string>();

/** Names what the form and size of an item depend on. */
function modelKey(model: ModelFacts): string {
  const found = keys.get(model);
  if (found !== undefined) return found;
  const key = `${model.apiFormat}|${model.id}|${model.images}|${model.documents}|${weightsKey(model.weights)}`;
  keys.set(model, key);
  return key;
}

/** Events do not change, so what one looks like in a variant is worked out once for as long as the event is held. */
const known = new WeakMap<StoredEvent, Map<string, Measured | null>>();

/** As `measureItem`, once per event, variant and model. `make` may answer null: the event has no such variant. */
export function measureOnce(
  event: StoredEvent | null,
  variant: string,
  model: ModelFacts,
  make: () => ShownItem | null,
): Measured | null {
  const key = event === null ? null : `${variant}|${modelKey(model)}`;
  const variants = event === null ? undefined : known.get(event);
  const found = key === null ? undefined : variants?.get(key);
  if (found !== undefined) return found;
  const item = make();
  const measured = item === null ? null : measureItem(item, model);
  if (event !== null && key !== null) {
    if (variants === undefined) known.set(event, new Map([[key, measured]]));
    else variants.set(key, measured);
  }
  return measured;
}
