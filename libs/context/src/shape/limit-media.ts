import type { ContentPart } from '#libs/domain';
import type { ShownItem } from '../view/entry.js';
import type { Repair } from './conversation.js';
import { describePart, longerSide } from './describe-part.js';
import type { FormatProfile } from './formats.js';

export type Media = Extract<ContentPart, { type: 'image' | 'document' }>;

export const isMedia = (part: { type: string }): part is Media => part.type === 'image' || part.type === 'document';
/** Chars of base64: what a part adds to the body beyond its few words. */
export const mediaChars = (part: Media): number => part.data?.length ?? 0;

/**
 * Describes the oldest images and documents of a request that has more of them, larger ones, or more bytes of them, than its
 * provider takes. The border moves in steps of a quarter of the limit, so that it moves seldom and requests keep a common
 * beginning.
 */
export function limitMedia(
  items: readonly ShownItem[],
  profile: FormatProfile,
  repairs: Repair[],
): readonly ShownItem[] {
  if (!items.some(({ content }) => content.some(isMedia))) return items;
  const media = items.flatMap((item) => item.content.filter(isMedia));
  const dropped = tooMany(media, profile);
  if (dropped.size === 0) return items;
  let at = -1;
  return items.map((item) => {
    if (item.role === 'assistant' || !item.content.some(isMedia)) return item;
    let hasDropped = false;
    const content = item.content.map((part): ContentPart => {
      if (!isMedia(part)) return part;
      at += 1;
      if (!dropped.has(at)) return part;
      hasDropped = true;
      return { type: 'text', text: describePart(part.type, part) };
    });
    if (!hasDropped) return item;
    repairs.push({
      rule: 'part_described',
      entries: item.entry === null ? [] : [item.entry],
      detail: 'the provider takes no more images and documents in one request',
    });
    return { ...item, content };
  });
}

/** Indexes of what must go, oldest first. */
function tooMany(media: readonly Media[], { maxMedia, imageSide }: FormatProfile): ReadonlySet<number> {
  const dropped = new Set<number>();
  const limit = (sizeOf: (part: Media) => number, most: number): void => {
    const sizes = media.map((part, index) => (dropped.has(index) ? 0 : sizeOf(part)));
    const count = excess(sizes, most);
    sizes.forEach((size, index) => size > 0 && index < count && dropped.add(index));
  };
  limit(({ type }) => Number(type === 'image'), maxMedia.images);
  limit(({ type }) => Number(type === 'document'), maxMedia.documents);
  limit(() => 1, maxMedia.count);
  limit(mediaChars, maxMedia.chars);
  if (imageSide !== null) dropCrowded(media, imageSide.crowded, dropped);
  return dropped;
}

/** In a crowd each image must be small: oldest images go until none of the rest is large, or the rest is no crowd. */
function dropCrowded(media: readonly Media[], crowded: Crowd, dropped: Set<number>): void {
  const images = media.flatMap((part, index) =>
    part.type === 'image' && !dropped.has(index) ? [{ part, index }] : [],
  );
  if (images.length <= crowded.from) return;
  const lastLarge = images.findLastIndex(({ part }) => isLarge(part, crowded));
  const untilNoCrowd = excess(
    images.map(() => 1),
    crowded.from,
  );
  for (const { index } of images.slice(0, Math.min(lastLarge + 1, untilNoCrowd))) dropped.add(index);
}

type Crowd = NonNullable<FormatProfile['imageSide']>['crowded'];

/** An image that does not say how large it is may be. */
export const isLarge = (part: Extract<Media, { type: 'image' }>, { max }: Crowd): boolean =>
  (longerSide(part) ?? Infinity) > max;

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
