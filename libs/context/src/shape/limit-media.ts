import type { ContentPart } from '#libs/domain';
import type { ShownItem } from '../view/entry.js';
import type { Repair } from './conversation.js';
import { describePart } from './describe-part.js';
import type { FormatProfile } from './formats.js';

type Media = Extract<ContentPart, { type: 'image' | 'document' }>;

export const isMedia = (part: { type: string }): part is Media => part.type === 'image' || part.type === 'document';
/** Chars of base64: what a part adds to the body beyond its few words. */
export const mediaChars = (part: Media): number => part.data?.length ?? 0;

/**
 * Describes the oldest images and documents of a request that has more of them, or more bytes of them, than its provider
 * takes. The border moves in steps of a quarter of the limit, so that it moves seldom and requests keep a common beginning.
 */
export function limitMedia(
  items: readonly ShownItem[],
  profile: FormatProfile,
  repairs: Repair[],
): readonly ShownItem[] {
  const media = items.flatMap((item) => item.content.filter(isMedia));
  const dropped = Math.max(
    excess(
      media.map(() => 1),
      profile.maxMedia.count,
    ),
    excess(media.map(mediaChars), profile.maxMedia.chars),
  );
  if (dropped === 0) return items;
  let left = dropped;
  return items.map((item) => {
    if (item.role === 'assistant' || left === 0 || !item.content.some(isMedia)) return item;
    const content = item.content.map((part): ContentPart => {
      if (!isMedia(part) || left === 0) return part;
      left -= 1;
      return { type: 'text', text: describePart(part.type, part) };
    });
    repairs.push({
      rule: 'part_described',
      entries: item.entry === null ? [] : [item.entry],
      detail: 'the provider takes no more images and documents in one request',
    });
    return { ...item, content };
  });
}

/** How many of the first sizes must go so that the rest is within `limit`; rounded up to the next step of what they add up to. */
function excess(sizes: readonly number[], limit: number): number {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= limit) return 0;
  const step = Math.max(1, Math.floor(limit / 4));
  const toDrop = Math.ceil((total - limit) / step) * step;
  let sum = 0;
  const index = sizes.findIndex((size) => (sum += size) >= toDrop);
  return index === -1 ? sizes.length : index + 1;
}
