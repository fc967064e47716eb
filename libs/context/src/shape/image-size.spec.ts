import fc from 'fast-check';
import { png, toBase64 } from '../testing/images.js';
import { readImageSize } from './image-size.js';

const bytesOf = (text: string): number[] => [...text].map((char) => char.charCodeAt(0));
const gif = [...bytesOf('GIF89a'), 0x40, 0x01, 0xf0, 0x00, 0, 0, 0];
const webp = (chunk: string, rest: number[]): number[] => [
  ...bytesOf('RIFF'),
  ...[0, 0, 0, 0],
  ...bytesOf(`WEBP${chunk}`),
  ...[0, 0, 0, 0],
  ...rest,
];
const jpeg = (...segments: number[][]): number[] => [0xff, 0xd8, ...segments.flat()];
const frame = [0xff, 0xc2, 0, 17, 8, 0x01, 0xe0, 0x02, 0x80, 3];
const comment = [0xff, 0xfe, 0, 5, 1, 2, 3];

describe('readImageSize', () => {
  it.each([
    ['PNG', png(320, 240), { width: 320, height: 240 }],
    ['GIF', toBase64(gif), { width: 320, height: 240 }],
    ['JPEG behind other segments', toBase64(jpeg(comment, comment, frame)), { width: 640, height: 480 }],
    ['WebP, extended', toBase64(webp('VP8X', [0, 0, 0, 0, 0x3f, 1, 0, 0xef, 0, 0])), { width: 320, height: 240 }],
    ['WebP, lossless', toBase64(webp('VP8L', [0x2f, 0x3f, 0xc1, 0x3b, 0])), { width: 320, height: 240 }],
    [
      'WebP, lossy',
      toBase64(webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xf0, 0x00])),
      { width: 320, height: 240 },
    ],
    ['something else', 'AAAA', null],
    ['a PNG that breaks off', png(320, 240).slice(0, 24), null],
    ['a JPEG without a frame', toBase64(jpeg(comment)), null],
  ])('reads the size of a %s', (_, data, size) => {
    expect(readImageSize(data)).toEqual(size);
  });

  it('is total and agrees with every size that a PNG can have', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0x7fffffff }), fc.integer({ min: 1, max: 0x7fffffff }), (width, height) => {
        expect(readImageSize(png(width, height))).toEqual({ width, height });
      }),
    );
    fc.assert(
      fc.property(
        fc.base64String({ maxLength: 200 }),
        fc.constantFrom('/9j/', 'iVBO', 'UklGR', 'R0lG'),
        (text, head) => {
          const size = readImageSize(head + text);
          expect(size === null || (size.width > 0 && size.height > 0)).toBe(true);
        },
      ),
    );
  });
});
