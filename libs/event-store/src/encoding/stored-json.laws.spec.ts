import fc from 'fast-check';
import { fromStoredJson, toStoredJson } from './stored-json.js';
import { fromStoredText, toStoredText } from './stored-text.js';

/** Strings that are likely to hold what the escape is about. */
const awkward = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\u0000',
        '\u0010',
        '\ud800',
        '\udbff',
        '\udc00',
        '\udfff',
        '\\',
        '\\u0000',
        '\\u0010',
        '0000',
        'd800',
        '"',
        '😀',
        '\u001f',
        '\u2028',
      ),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    awkward,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(awkward, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** What jsonb and text columns refuse. */
const isRefused = (text: string): boolean => text.includes('\u0000') || /[\ud800-\udfff]/u.test(text);

describe('stored text', () => {
  it('restores every JSON value', () => {
    fc.assert(
      fc.property(json, (value) => {
        const stored = toStoredJson(value);
        if (value === null) return stored === null;
        expect(fromStoredJson(stored ?? '')).toEqual(JSON.parse(JSON.stringify(value)));
        return true;
      }),
      { numRuns: 1000 },
    );
  });

  it('holds nothing that Postgres refuses', () => {
    fc.assert(
      fc.property(awkward, (text) => {
        const stored: unknown = JSON.parse(toStoredJson({ [text]: text }) ?? '');
        const [entry] = Object.entries(Object(stored));
        expect(isRefused(`${entry?.[0]}`)).toBe(false);
        expect(isRefused(String(entry?.[1]))).toBe(false);
        expect(isRefused(toStoredText(text))).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('restores every text, and no two texts are stored alike', () => {
    fc.assert(
      fc.property(awkward, (text) => fromStoredText(toStoredText(text)) === text),
      { numRuns: 1000 },
    );
  });

  it('leaves ordinary text alone', () => {
    expect(toStoredText('plain \n 😀')).toBe('plain \n 😀');
    expect(toStoredJson({ a: '\n😀\\' })).toBe(JSON.stringify({ a: '\n😀\\' }));
  });
});
