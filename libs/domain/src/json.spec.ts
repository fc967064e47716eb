import fc from 'fast-check';
import { costlyJson, MOST_JSON_LEVELS, MOST_JSON_MEMBERS, readJson, unfitJson } from './json.js';

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

  it('is not even read when that alone would take seconds', () => {
    const members = (count: number): string => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;
    expect(readJson(members(MOST_JSON_MEMBERS))).toHaveProperty('k0', 1);
    expect(() => readJson(members(MOST_JSON_MEMBERS + 1))).toThrow('there are too many values');
    expect(costlyJson(nested(4_000_000))).toBe('too_deep');
  });

  it('is counted without what its strings hold, and what has ended again', () => {
    const quoted = JSON.stringify({ a: ':[{"\\'.repeat(300_000), b: '\\' });
    expect(costlyJson(quoted)).toBeNull();
    expect(costlyJson(`[${Array.from({ length: 300_000 }, () => '[{}]').join(',')}]`)).toBeNull();
    expect(costlyJson(`"${'['.repeat(300_000)}`)).toBeNull();
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
