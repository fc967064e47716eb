import { canonicalJson } from '#libs/domain';
import type { Draft } from './draft.js';
import { fixedParts } from './measure/fixed-parts.js';
import type { Measured } from './measure/measured-item.js';
import { messageChars, type Weights } from './measure/part-chars.js';
import type { CacheBreakpoint, Manifest, NeutralRequest } from './neutral.js';
import { SentMessage } from './sent-message.js';
import { formatProfile, type FormatProfile, type Repair } from './shape/index.js';
import { groupItems, toMessage, type Group } from './shape/to-messages.js';
import type { ShapedMessage, ShownItem } from './view/entry.js';

/** A draft in the model's format. */
export type ShapedDraft = {
  readonly messages: readonly SentMessage[];
  readonly repairs: readonly Repair[];
  /** Of the whole request: what shape adds (an opening message) is in it. */
  readonly chars: number;
};

export function shapeDraft({ layout }: Draft, manifest: Manifest): ShapedDraft {
  const items: ShownItem[] = [];
  const repairs: Repair[] = [];
  const measured = new Map<ShownItem, Measured>();
  const add = (shown: Measured | null, isPinned: boolean): void => {
    if (shown === null) return;
    if (shown.isOutline) throw new Error(`the content of #${shown.item.entry} was not read`);
    items.push(isPinned && shown.item.role === 'user' ? { ...shown.item, pinned: true } : shown.item);
    measured.set(shown.item, shown);
    if (shown.repairs.length > 0) repairs.push(...shown.repairs);
  };
  add(layout.summary, false);
  for (const cell of layout.pinned) add(cell.shown, true);
  add(layout.memory, false);
  for (const cell of layout.tail) add(cell.shown, false);
  const profile = formatProfile(manifest.model.apiFormat);
  const fixed = fixedParts(manifest);
  let chars = fixed.systemChars + fixed.toolsChars;
  const messages = groupItems(items, profile, repairs).map((group) => {
    const sent = sentOnce(group, profile, manifest.model.weights, measured);
    chars += sent.built.chars;
    return sent;
  });
  return { messages, repairs, chars };
}

/** What a group is sent as. That of a single item is kept with it. */
function sentOnce(
  group: Group,
  profile: FormatProfile,
  weights: Weights,
  measured: ReadonlyMap<ShownItem, Measured>,
): SentMessage {
  const [only] = group.items;
  if (only === undefined || group.items.length > 1 || group.isMadeUp) return sentMessage(group, profile, weights);
  const shown = measured.get(only);
  if (shown === undefined) return sentOfMadeItem(only, group, profile, weights);
  shown.sent ??= sentOf(toMessage(group, profile), shown.chars);
  return shown.sent;
}

function sentMessage(group: Group, profile: FormatProfile, weights: Weights): SentMessage {
  const shaped = toMessage(group, profile);
  return sentOf(shaped, messageChars(shaped.message, weights));
}

const sentOf = ({ message, entries, state, pinned, synthetic }: ShapedMessage, chars: number): SentMessage =>
  new SentMessage({ message, entries, state, pinned, synthetic, chars });

type MadeItem = { readonly profile: FormatProfile; readonly weights: Weights; readonly sent: SentMessage };

/** Of items that the shape makes of others and keeps with them: images that stand behind their result. */
const madeItems = new WeakMap<ShownItem, MadeItem>();

function sentOfMadeItem(item: ShownItem, group: Group, profile: FormatProfile, weights: Weights): SentMessage {
  const found = madeItems.get(item);
  if (found?.profile === profile && found.weights === weights) return found.sent;
  const sent = sentMessage(group, profile, weights);
  madeItems.set(item, { profile, weights, sent });
  return sent;
}

export function requestOf(shaped: ShapedDraft, manifest: Manifest): NeutralRequest {
  return {
    system: fixedParts(manifest).system,
    messages: shaped.messages.map(({ built }) => built.message),
    tools: manifest.tools,
  };
}

/** Canonical JSON of {system, messages, tools} in pieces: the form that `context_hash` is taken over. */
export function requestCanonical({ messages }: ShapedDraft, { system, tools }: NeutralRequest): string[] {
  const pieces = ['{"messages":['];
  for (const { canonical } of messages) pieces.push(pieces.length === 1 ? canonical : `,${canonical}`);
  pieces.push(`],"system":${canonicalJson(system)},"tools":${canonicalJson(tools)}}`);
  return pieces;
}

/** After tools and system, after the summary, at the mask boundary, at the end of the tail. */
export function cacheBreakpoints(draft: Draft, shaped: ShapedDraft): CacheBreakpoint[] {
  const last = shaped.messages.length - 1;
  const marks = new Set<number>();
  if (draft.layout.summary !== null) marks.add(0);
  const boundary = shaped.messages.findLastIndex(({ built }) =>
    built.entries.some((entry) => entry <= draft.marks.maskTo),
  );
  if (boundary >= 0) marks.add(boundary);
  if (last >= 0) marks.add(last);
  const after = [...marks].sort((a, b) => a - b).map((index): CacheBreakpoint => ({ after: 'message', index }));
  return [{ after: 'system' }, ...after];
}
