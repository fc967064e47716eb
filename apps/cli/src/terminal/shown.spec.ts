import { styleText } from 'node:util';
import fc from 'fast-check';
import { jsonLine, shown } from './shown.js';

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\u001b[2J',
      '\u001b]0;title\u0007',
      '\u001b[8m',
      '\u009b1A',
      '\r',
      '\b',
      '\u0000',
      '\u202e',
      '\u2066',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

describe('what is shown on a terminal', () => {
  it('steers nothing, whoever wrote it', () => {
    fc.assert(
      fc.property(hostile, (text) =>
        expect(shown(text, false)).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u),
      ),
    );
    const leftOver = (text: string): string => text.replace(/\u001b\[\d+m/g, '');
    fc.assert(fc.property(hostile, (text) => expect(leftOver(shown(text, true))).not.toMatch(/[^\P{Cc}\n\t]/u)));
    expect(shown('a\u001b[8mhidden\u001b[1Ab', true)).toBe('a�[8mhidden�[1Ab');
  });

  it('keeps our own colours where there are any, and lines and tabs everywhere', () => {
    for (const format of ['bold', 'dim', 'red', 'green', 'yellow', 'cyan', 'reset'] as const) {
      const styled = styleText(format, 'text');
      expect(shown(styled, true)).toBe(styled);
    }
    expect(shown('a\n\tb', false)).toBe('a\n\tb');
  });

  it('is one line of printable characters as JSON, and the same value', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(jsonLine({ text })).not.toMatch(/\p{Cc}/u);
        expect(JSON.parse(jsonLine({ text }))).toEqual({ text });
      }),
    );
  });
});
