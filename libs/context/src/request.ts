import { canonicalJson } from '#libs/domain';
import type { BuiltMessage } from './build-result.js';
import type { Draft } from './draft.js';
import { fixedParts } from './measure/fixed-parts.js';
import { messageChars, type Weights } from './measure/part-chars.js';
import type { CacheBreakpoint, Manifest, NeutralMessage, NeutralRequest } from './neutral.js';
import { shape, type Repair } from './shape/index.js';
import type { ShapedMessage, ShownItem } from './view/entry.js';

/** A draft in the model's format. */
export type ShapedDraft = {
  readonly messages: readonly BuiltMessage[];
  readonly repairs: readonly Repair[];
  /** Of the whole request: what shape adds (an opening message) is in it. */
  readonly chars: number;
};

export function shapeDraft(draft: Draft, manifest: Manifest): ShapedDraft {
  const { layout } = draft;
  const items: ShownItem[] = [];
  const repairs: Repair[] = [];
  const add = (
    measured: { readonly item: ShownItem; readonly repairs: readonly Repair[] } | null,
    isPinned: boolean,
  ): void => {
    if (measured === null) return;
    items.push(isPinned && measured.item.role === 'user' ? { ...measured.item, pinned: true } : measured.item);
    repairs.push(...measured.repairs);
  };
  add(layout.summary, false);
  for (const cell of layout.pinned) add(cell.shown, true);
  add(layout.memory, false);
  for (const cell of layout.tail) add(cell.shown, false);
  const shaped = shape(items, manifest.model);
  const fixed = fixedParts(manifest);
  let chars = fixed.systemChars + fixed.toolsChars;
  const messages = shaped.messages.map((one): BuiltMessage => {
    const sized = sizedOnce(one, manifest.model.weights);
    chars += sized.chars;
    return sized;
  });
  return { messages, repairs: [...repairs, ...shaped.repairs], chars };
}

/** Builds share shaped messages, which never change: with its size each is made once. */
const sizedMessages = new WeakMap<ShapedMessage, BuiltMessage>();

function sizedOnce(shaped: ShapedMessage, weights: Weights): BuiltMessage {
  const chars = messageChars(shaped.message, weights);
  const found = sizedMessages.get(shaped);
  if (found?.chars === chars) return found;
  const sized = { ...shaped, chars };
  sizedMessages.set(shaped, sized);
  return sized;
}

export function requestOf(shaped: ShapedDraft, manifest: Manifest): NeutralRequest {
  return {
    system: fixedParts(manifest).system,
    messages: shaped.messages.map(({ message }) => message),
    tools: manifest.tools,
  };
}

/** Canonical JSON of {system, messages, tools}: the form that `context_hash` is taken over. */
export const requestCanonical = (request: NeutralRequest): string =>
  `{"messages":[${request.messages.map(messageCanonical).join(',')}],"system":${canonicalJson(request.system)},"tools":${canonicalJson(request.tools)}}`;

/** Messages are shared by builds and never changed. */
const known = new WeakMap<NeutralMessage, string>();

export function messageCanonical(message: NeutralMessage): string {
  const found = known.get(message);
  if (found !== undefined) return found;
  const canonical = canonicalJson(message);
  known.set(message, canonical);
  return canonical;
}

/** After tools and system, after the summary, at the mask boundary, at the end of the tail. */
export function cacheBreakpoints(draft: Draft, shaped: ShapedDraft): CacheBreakpoint[] {
  const last = shaped.messages.length - 1;
  const marks = new Set<number>();
  if (draft.layout.summary !== null) marks.add(0);
  const boundary = shaped.messages.findLastIndex(({ entries }) => entries.some((entry) => entry <= draft.marks.maskTo));
  if (boundary >= 0) marks.add(boundary);
  if (last >= 0) marks.add(last);
  const after = [...marks].sort((a, b) => a - b).map((index): CacheBreakpoint => ({ after: 'message', index }));
  return [{ after: 'system' }, ...after];
}
