import fc from 'fast-check';
import { lawRuns } from '../../context/src/testing/law-runs.js';
import { quoteJson } from './quote-json.js';

/** Long runs of plain text with line ends, and here and there one of what JSON escapes. */
const plain = fc.constantFrom('const value = compute(31);', '\n', 'ä → 😀', 'x'.repeat(40), '\u007f', '\u2028', '/');
const escaped = fc.oneof(
  fc.integer({ min: 0, max: 0x1f }).map((unit) => String.fromCharCode(unit)),
  fc.constantFrom('"', '\\', '\\n', '\ud800', '\udfff', '\udc00\ud800'),
  fc.string({ unit: 'binary' }),
);
const text = fc
  .array(fc.oneof({ weight: 12, arbitrary: plain }, { weight: 1, arbitrary: escaped }), { maxLength: 12 })
  .map((parts) => parts.join(''));

describe('quoteJson', () => {
  it('is JSON.stringify to the byte, whatever the text', () => {
    fc.assert(
      fc.property(text, (value) => quoteJson(value) === JSON.stringify(value)),
      { numRuns: lawRuns(2_000) },
    );
  });

  it('escapes each code unit in a long text as JSON.stringify does', () => {
    const differing = Array.from(
      { length: 0x10000 },
      (_, unit) => `${'a\n'.repeat(20)}${String.fromCharCode(unit)}`,
    ).filter((value) => quoteJson(value) !== JSON.stringify(value));
    expect(differing).toEqual([]);
  });
});
