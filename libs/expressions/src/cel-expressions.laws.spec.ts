import fc from 'fast-check';
import { celExpressions } from './cel-expressions.js';

const language = celExpressions();
const fragments = fc.constantFrom(
  'inputs',
  'steps',
  '.',
  '.?',
  '[',
  ']',
  '(',
  ')',
  '{',
  '}',
  '"',
  "'",
  '"""',
  'r"',
  'b"\\xff"',
  '1',
  '2.5',
  '0x',
  '+',
  '-',
  '*',
  '/',
  '%',
  '==',
  '&&',
  '||',
  '!',
  '?',
  ':',
  ',',
  'a',
  'matches',
  'map',
  'filter',
  'has',
  'size',
  'null',
  'true',
  'in',
  ' ',
  '\n',
  '//',
  '😀',
  '\ud800',
  'optional',
  'cel.bind',
  '__proto__',
  'constructor',
  'duration("1h")',
  'timestamp',
  '\\',
);

describe('the language is total', () => {
  it('checks and evaluates any string without throwing', () => {
    const source = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fragments, { maxLength: 14 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(source, fc.jsonValue(), (text, value) => {
        language.check(text, ['inputs', 'steps']);
        language.evaluate(text, { inputs: JSON.parse(JSON.stringify(value)), steps: { a: { output: 1 } } });
      }),
      { numRuns: 3_000 },
    );
  });

  it('gives each JSON value back unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value));
        expect(language.evaluate('inputs', { inputs: json })).toEqual({ ok: true, value: json });
      }),
    );
  });
});
