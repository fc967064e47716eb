/** Pixels. */
export type ImageSize = { width: number; height: number };

/** Segments of a JPEG that are looked at before its frame: cameras write a few dozen. */
const MAX_SEGMENTS = 500;

/** The size that a PNG, GIF, WebP or JPEG declares in its head; null where `base64` is none of them or breaks off. */
export function readImageSize(base64: string): ImageSize | null {
  const read = new Base64Bytes(base64);
  const size = pngSize(read) ?? gifSize(read) ?? webpSize(read) ?? jpegSize(read);
  return size === null || size.width === 0 || size.height === 0 ? null : size;
}

/** Single bytes of base64: only what is asked for is decoded, for images have megabytes. */
class Base64Bytes {
  constructor(private readonly text: string) {}

  /** NaN behind the end. */
  at(index: number): number {
    const group = Math.floor(index / 3) * 4;
    const place = index % 3;
    const left = sextet(this.text.charCodeAt(group + place));
    const right = sextet(this.text.charCodeAt(group + place + 1));
    const kept = 2 * (place + 1);
    return left === null || right === null ? Number.NaN : ((left << kept) & 0xff) | (right >> (6 - kept));
  }

  big(index: number, bytes: number): number {
    let value = 0;
    for (let offset = 0; offset < bytes; offset += 1) value = value * 256 + this.at(index + offset);
    return value;
  }

  little(index: number, bytes: number): number {
    let value = 0;
    for (let offset = bytes - 1; offset >= 0; offset -= 1) value = value * 256 + this.at(index + offset);
    return value;
  }

  hasText(index: number, text: string): boolean {
    for (let offset = 0; offset < text.length; offset += 1)
      if (this.at(index + offset) !== text.charCodeAt(offset)) return false;
    return true;
  }
}

function sextet(code: number): number | null {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41;
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52;
  if (code === 0x2b) return 62;
  return code === 0x2f ? 63 : null;
}

const sizeOf = (width: number, height: number): ImageSize | null =>
  Number.isNaN(width + height) ? null : { width, height };

/** PNG specification, "Image header". */
function pngSize(read: Base64Bytes): ImageSize | null {
  return read.at(0) === 0x89 && read.hasText(1, 'PNG') && read.hasText(12, 'IHDR')
    ? sizeOf(read.big(16, 4), read.big(20, 4))
    : null;
}

/** GIF89a, "Logical Screen Descriptor". */
const gifSize = (read: Base64Bytes): ImageSize | null =>
  read.hasText(0, 'GIF8') ? sizeOf(read.little(6, 2), read.little(8, 2)) : null;

/** RFC 9649: the first chunk is VP8X, VP8L or VP8. */
function webpSize(read: Base64Bytes): ImageSize | null {
  if (!read.hasText(0, 'RIFF') || !read.hasText(8, 'WEBP')) return null;
  if (read.hasText(12, 'VP8X')) return sizeOf(read.little(24, 3) + 1, read.little(27, 3) + 1);
  if (read.hasText(12, 'VP8L')) {
    const bits = read.little(21, 4);
    return sizeOf((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  }
  return read.hasText(12, 'VP8 ') ? sizeOf(read.little(26, 2) & 0x3fff, read.little(28, 2) & 0x3fff) : null;
}

/** ITU T.81, B.1.1: segments up to the first start of a frame. */
function jpegSize(read: Base64Bytes): ImageSize | null {
  if (read.big(0, 2) !== 0xffd8) return null;
  let at = 2;
  for (let segment = 0; segment < MAX_SEGMENTS; segment += 1) {
    if (read.at(at) !== 0xff) return null;
    const marker = read.at(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return sizeOf(read.big(at + 7, 2), read.big(at + 5, 2));
    else if (Number.isNaN(marker)) return null;
    else at += 2 + read.big(at + 2, 2);
  }
  return null;
}

const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
