import fc from 'fast-check';
import { parseArguments } from './parse-arguments.js';
import { SchemaValidator } from './schema-validator.js';

const validator = new SchemaValidator();
const parse = (text: string) => parseArguments(validator, { type: 'object' }, text);

describe('arguments that a model wrote', () => {
  it('are one JSON object of at most a mebibyte', () => {
    expect(parse('{"a": [1]}')).toEqual({ ok: true, args: { a: [1] } });
    expect(parse(' ')).toEqual({ ok: true, args: {} });
    expect(parse('[1]')).toMatchObject({ ok: false, detail: expect.stringContaining('one JSON object') });
    expect(parse(`{"a": "${'x'.repeat(1_048_576)}"}`)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('at most 1048576 are allowed'),
    });
  });

  it('that are nested too deep are refused, instead of overflowing whoever writes them down', () => {
    const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(parse(nested(499))).toMatchObject({ ok: true });
    for (const levels of [500, 200_000])
      expect(parse(nested(levels))).toMatchObject({
        ok: false,
        detail: expect.stringContaining('over 500 levels deep'),
      });
  });

  it('reach no prototype', () => {
    expect(parse('{"a": {"__proto__": {"polluted": true}}}')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('"__proto__", which is not allowed (at /a/__proto__)'),
    });
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('constructor', 'prototype', 'toString', 'a'), fc.jsonValue()),
        (value) => {
          parse(JSON.stringify(value));
          expect(Object.keys(Object.prototype)).toEqual([]);
        },
      ),
    );
  });
});
