import { Readable } from 'node:stream';
import fc from 'fast-check';
import { linesOf } from './lines-of.js';

async function read(chunks: (string | Uint8Array)[], most = 1000): Promise<(string | null)[]> {
  const lines: (string | null)[] = [];
  for await (const line of linesOf(Readable.from(chunks), most)) lines.push(line);
  return lines;
}

describe('lines of a stream', () => {
  it('come whole, however the bytes come', async () => {
    const text = fc.array(fc.constantFrom('a', 'ü', '😀', '\n', '\r\n', ' '), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (parts, size) => {
        const bytes = Buffer.from(parts.join(''));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
          bytes.subarray(n * size, (n + 1) * size),
        );
        const expected = parts
          .join('')
          .split('\n')
          .map((line) => line.replace(/\r$/, ''));
        if (parts.join('').split('\n').at(-1) === '') expected.pop();
        expect(await read(chunks)).toEqual(expected);
      }),
    );
  });

  it('are not kept when they are too long', async () => {
    const long = Array.from({ length: 100 }, () => Buffer.alloc(1000, 'x'));
    expect(await read(['a\n', ...long, '\nb\n', ...long], 1500)).toEqual(['a', null, 'b', null]);
    expect(await read(['x'.repeat(1500)], 1500)).toEqual(['x'.repeat(1500)]);
  });
});
