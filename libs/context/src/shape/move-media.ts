import type { ContentPart } from '#libs/domain';
import type { ShownItem } from '../view/entry.js';
import type { Repair } from './conversation.js';
import { describePart } from './describe-part.js';
import type { FormatProfile } from './formats.js';
import { isMedia, type Media } from './limit-media.js';

type ResultItem = Extract<ShownItem, { role: 'tool' }>;
type Moved = { result: ResultItem; media: ShownItem };

/** Items live as long as their events are held: what was moved out of one is worked out once for each format. */
const knownMoves = new WeakMap<ResultItem, { profile: FormatProfile; moved: Moved }>();

/**
 * Images and documents of results that the format takes in user messages only: they stand in a user message behind the
 * results of their answer, and the result says so. Both messages are of the result's entry.
 */
export function moveMedia(
  items: readonly ShownItem[],
  profile: FormatProfile,
  repairs: Repair[],
): readonly ShownItem[] {
  const mustMove = (item: ShownItem): item is ResultItem =>
    item.role === 'tool' && item.content.some((part) => isMoved(part, profile));
  if (!items.some(mustMove)) return items;
  const placed: ShownItem[] = [];
  let waiting: ShownItem[] = [];
  for (const item of items) {
    if (item.role !== 'tool') {
      placed.push(...waiting);
      waiting = [];
    }
    const moved = mustMove(item) ? moveOnce(item, profile) : null;
    placed.push(moved?.result ?? item);
    if (moved === null) continue;
    waiting.push(moved.media);
    repairs.push({
      rule: 'part_moved',
      entries: item.entry === null ? [] : [item.entry],
      detail: 'the format takes no images and documents in results',
    });
  }
  return [...placed, ...waiting];
}

const isMoved = (part: ContentPart, { images, documents }: FormatProfile): part is Media =>
  isMedia(part) && !(part.type === 'image' ? images : documents).tool;

function moveOnce(item: ResultItem, profile: FormatProfile): Moved {
  const known = knownMoves.get(item);
  if (known?.profile === profile) return known.moved;
  const result: ResultItem = {
    ...item,
    content: item.content.map((part): ContentPart =>
      isMoved(part, profile) ? { type: 'text', text: `${describePart(part.type, part)} (in the message below)` } : part,
    ),
  };
  const heading = item.entry === null ? `[from ${item.name}]` : `[from ${item.name}, #${item.entry}]`;
  const media: ShownItem = {
    role: 'user',
    entry: item.entry,
    content: [{ type: 'text', text: heading }, ...item.content.filter((part) => isMoved(part, profile))],
    state: item.state,
    pinned: false,
  };
  const moved = { result, media };
  knownMoves.set(item, { profile, moved });
  return moved;
}
