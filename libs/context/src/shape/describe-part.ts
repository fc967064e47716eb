import type { AssistantPart, ContentPart, Json } from '#libs/domain';
import { isJsonObject } from './call-arguments.js';
import type { FormatProfile, PartPlaces } from './formats.js';
import { readImageSize } from './image-size.js';

type ImagePart = Extract<ContentPart, { type: 'image' }>;
type DocumentPart = Extract<ContentPart, { type: 'document' }>;

/** Which parts this request may carry: what the format takes and the model reads. */
export type PartRules = { profile: FormatProfile; images: boolean; documents: boolean };

/** `[image: chart.png, image/png]`: stands for a part that the format does not take there, so nobody wonders what was shown. */
export function describePart(kind: 'image' | 'document', part: ImagePart | DocumentPart): string {
  const about = [part.name, part.media_type, part.url].filter((fact) => fact !== undefined && fact !== '');
  return `[${kind}${about.length > 0 ? `: ${about.join(', ')}` : ''}]`;
}

export function takesImage(part: ImagePart, place: keyof PartPlaces, rules: PartRules): boolean {
  const { images, profile } = rules;
  if (!images || !profile.images[place] || !isUsable(part, profile.imageTypes, profile)) return false;
  const side = longerSide(part);
  return profile.imageSide === null || side === null || side <= profile.imageSide.max;
}

export function takesDocument(part: DocumentPart, place: keyof PartPlaces, rules: PartRules): boolean {
  return (
    rules.documents && rules.profile.documents[place] && isUsable(part, rules.profile.documentTypes, rules.profile)
  );
}

/** Parts are never changed, and heads of large images are not read again at each call. */
const knownSides = new WeakMap<ImagePart, number | null>();

/** Pixels; null where the part does not say (an address, an unknown form). */
export function longerSide(part: ImagePart): number | null {
  const known = knownSides.get(part);
  if (known !== undefined) return known;
  const size = part.data === undefined || part.data === '' ? null : readImageSize(part.data);
  const side = size === null ? null : Math.max(size.width, size.height);
  knownSides.set(part, side);
  return side;
}

function isUsable(part: ImagePart | DocumentPart, mediaTypes: readonly string[], profile: FormatProfile): boolean {
  if (part.data === undefined || part.data === '')
    return profile.fetchesUrls && part.url !== undefined && /^https?:\/\/\S+$/.test(part.url);
  const isKnown = part.media_type !== undefined && mediaTypes.includes(part.media_type);
  return isKnown && part.data.length <= profile.maxPartChars[part.type] && /^[A-Za-z0-9+/]+={0,2}$/.test(part.data);
}

/**
 * An `other` part as one that has a form of its own, where its raw value is a provider's document or image block; null
 * for everything else.
 */
export function knownPart(raw: Json): ImagePart | DocumentPart | null {
  if (!isJsonObject(raw) || (raw.type !== 'document' && raw.type !== 'image')) return null;
  const source = raw.source;
  if (source === undefined || !isJsonObject(source)) return null;
  const text = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
  const name = text(raw.title) ?? text(raw.name);
  return {
    type: raw.type,
    media_type: text(source.media_type),
    data: text(source.data),
    url: text(source.url),
    ...(name === undefined ? {} : { name }),
  };
}

/** A part of an answer that no format takes back, as text; null where it is left out (reasoning is not decided here). */
export function describeAnswerPart(part: Extract<AssistantPart, { type: 'image' | 'other' }>): string {
  return part.type === 'image' ? describePart('image', part) : JSON.stringify(part.raw);
}
