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

type Variants = Map<string, Measured | null>;
/** By model: those of one form share what was worked out. Events do not change, so that is once for as long as each is held. */
const known = new Map<string, WeakMap<StoredEvent, Variants>>();

function knownUnder(model: ModelFacts): WeakMap<StoredEvent, Variants> {
  const key = modelKey(model);
  const found = known.get(key);
  if (found !== undefined) return found;
  const variants = new WeakMap<StoredEvent, Variants>();
  known.set(key, variants);
  return variants;
}

/** As `measureItem`, once per event, variant and model. `make` may answer null: the event has no such variant. */
export function measureOnce(
  event: StoredEvent | null,
  variant: string,
  model: ModelFacts,
  make: () => ShownItem | null,
): Measured | null {
  const events = event === null ? undefined : knownUnder(model);
  const variants = event === null ? undefined : events?.get(event);
  const found = variants?.get(variant);
  if (found !== undefined) return found;
  const item = make();
  const measured = item === null ? null : measureItem(item, model);
  if (variants !== undefined) variants.set(variant, measured);
  else if (event !== null) events?.set(event, new Map([[variant, measured]]));
  return measured;
}
