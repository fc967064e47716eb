import { TextDecoder } from 'node:util';

/** Lines of UTF-8 text without their ends; null for one of more than `mostChars`, which is read past and not kept. */
export async function* linesOf(input: AsyncIterable<unknown>, mostChars: number): AsyncGenerator<string | null> {
  const decoder = new TextDecoder();
  let begun = '';
  let isTooLong = false;
  for await (const chunk of input) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.decode(bytesOf(chunk), { stream: true })).split('\n');
    for (const [index, part] of parts.entries()) {
      isTooLong ||= begun.length + part.length > mostChars;
      begun = isTooLong ? '' : begun + part;
      if (index === parts.length - 1) break;
      yield isTooLong ? null : withoutReturn(begun);
      begun = '';
      isTooLong = false;
    }
  }
  if (isTooLong) yield null;
  else if (begun !== '') yield withoutReturn(begun);
}

function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  throw new TypeError(`expected bytes or text from a stream, found ${typeof chunk}`);
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
