import type { ViewEvent } from '#libs/domain';
import type { ModelFacts } from '../neutral.js';
import { fitItem } from '../shape/fit-item.js';
import { formatProfile, type Repair } from '../shape/index.js';
import type { SentMessage } from '../sent-message.js';
import type { ShownItem } from '../view/entry.js';
import { callsTokens, partsTokens } from './part-tokens.js';
import { callsChars, partsChars, weightsKey } from './part-chars.js';

/** Role, separators: what a provider adds around each message. */
const TOKENS_PER_MESSAGE = 4;

/**
 * An item as the model's format takes it, with its size. What else builds work out about it stays with it: it is shared by all
 * builds for as long as what they know of its event is held. A field costs a fortieth of an entry in a WeakMap, which the collector
 * walks.
 */
export class Measured {
  /** The message of its own that it is sent as; made by the first build that sends it. */
  sent: SentMessage | null = null;
  private rawTokens: number | null = null;

  constructor(
    readonly item: ShownItem,
    readonly chars: number,
    readonly repairs: readonly Repair[],
    private readonly weights: ModelFacts['weights'],
    /** Its content was not read: there is nothing to send. */
    readonly isOutline = false,
  ) {}

  /** The raw estimate, made when it is asked for: most are never shown whole. */
  get tokens(): number {
    if (this.rawTokens !== null) return this.rawTokens;
    const calls = this.item.role === 'assistant' ? this.item.calls : [];
    this.rawTokens = TOKENS_PER_MESSAGE + partsTokens(this.item.content, this.weights) + callsTokens(calls);
    return this.rawTokens;
  }
}

const NO_REPAIRS: readonly Repair[] = [];

export function measureItem(item: ShownItem, model: ModelFacts): Measured {
  const repairs: Repair[] = [];
  const { weights } = model;
  const fitted = fitItem(
    item,
    { profile: formatProfile(model.apiFormat), images: model.images, documents: model.documents, modelId: model.id },
    repairs,
  );
  const calls = fitted.role === 'assistant' ? callsChars(fitted.calls) : 0;
  const chars = partsChars(fitted.content, weights) + calls;
  return new Measured(fitted, chars, repairs.length === 0 ? NO_REPAIRS : repairs, weights);
}

/** An item without its content, as long as with it. */
export function measureOutline(item: ShownItem, chars: number, model: ModelFacts): Measured {
  return new Measured(measureItem(item, model).item, chars, NO_REPAIRS, model.weights, true);
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

type Form = { readonly name: string; readonly measured: Measured | null; readonly before: Form | null };

/** An event in each form in which it was asked for; null: it has no such form. They are few: a map would take longer to make. */
export class Forms {
  private newest: Form | null = null;

  get(name: string): Measured | null | undefined {
    let form = this.newest;
    while (form !== null && form.name !== name) form = form.before;
    return form?.measured;
  }

  add(name: string, measured: Measured | null): void {
    this.newest = { name, measured, before: this.newest };
  }
}

/**
 * What builds have worked out about events, for those that come after them: hold it as long as the events. By model: those of one
 * form share it.
 */
export class KnownForms {
  private readonly models = new Map<string, Map<ViewEvent, Forms>>();

  /** Asked for once a build, and its answer once for each event. */
  under(model: ModelFacts): (event: ViewEvent) => Forms {
    const key = modelKey(model);
    const events = this.models.get(key) ?? new Map<ViewEvent, Forms>();
    this.models.set(key, events);
    return (event) => {
      const found = events.get(event);
      if (found !== undefined) return found;
      const forms = new Forms();
      events.set(event, forms);
      return forms;
    };
  }

  /** For events that are let go. */
  forget(event: ViewEvent): void {
    for (const events of this.models.values()) events.delete(event);
  }
}

/** As `measureItem`, once for each form of an event. `make` may answer null: the event has no such form. `forms` null: not an event. */
export function measureOnce(
  forms: Forms | null,
  form: string,
  model: ModelFacts,
  make: () => ShownItem | null,
): Measured | null {
  const found = forms?.get(form);
  if (found !== undefined) return found;
  const item = make();
  const measured = item === null ? null : measureItem(item, model);
  forms?.add(form, measured);
  return measured;
}
