import fc from 'fast-check';
import { MOST_JSON_LEVELS, readJson, unfitJson } from './json.js';

const nested = (levels: number, inner = ''): string => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`;

describe('JSON that others wrote', () => {
  it('is read down to 500 levels and refused below that, however deep it is', () => {
    expect(unfitJson(readJson(nested(MOST_JSON_LEVELS)))).toBeNull();
    for (const levels of [MOST_JSON_LEVELS + 1, 200_000])
      expect(() => readJson(`{"a":${nested(levels)}}`)).toThrow('over 500 levels deep (at /a/0/0/0/0/0/…)');
  });

  it('has only numbers that a double holds, and no key that stands for a prototype', () => {
    expect(() => readJson('{"a":[1,{"b":1e400}]}')).toThrow('a number is too large; write it as a string (at /a/1/b)');
    expect(() => readJson('[{"x":{"__proto__":{"admin":true}}}]')).toThrow('a key is "__proto__"');
    expect(unfitJson(-Infinity)).toEqual({ reason: 'not_finite', path: [] });
  });

  it('is JSON', () => {
    expect(() => readJson('{')).toThrow(SyntaxError);
  });

  it('of any other shape is read as it is', () => {
    const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"__proto__"'));
    fc.assert(
      fc.property(plain, (value) => expect(readJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))),
    );
  });
});
