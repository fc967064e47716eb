import fc from 'fast-check';
import { stringify } from 'yaml';
import { readYaml, YAML_LIMITS, yamlFaultText } from './read-yaml.js';

/** What it says of a text: the value, or its faults as lines. */
function said(text: string): unknown {
  const result = readYaml(text);
  return result.ok ? result.value : result.faults.map(yamlFaultText);
}

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

describe('YAML text', () => {
  it('is read as JSON: scalars of 1.2, aliases unfolded, nothing as null', () => {
    expect(said('a: &a {x: [1, yes, 2001-01-01]}\nb: *a\n')).toEqual({
      a: { x: [1, 'yes', '2001-01-01'] },
      b: { x: [1, 'yes', '2001-01-01'] },
    });
    expect(said('')).toBeNull();
    expect(said('{"json": [true, null]}')).toEqual({ json: [true, null] });
  });

  it('that JSON was written as comes back as it was', () => {
    // Through JSON once, which has no negative zero.
    const json: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
    const plain = json.filter((value) => !JSON.stringify(value).includes('"__proto__"'));
    fc.assert(
      fc.property(plain, (value) => expect(said(stringify(value, { aliasDuplicateObjects: false }))).toEqual(value)),
      { numRuns: 50 },
    );
  });

  it('never throws, whatever it is', () => {
    const marks = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
      '<<: ',
      '? ',
      '!!set ',
      '%YAML 1.1\n---\n',
      '|\n',
      '"',
      "'",
      '#',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 30 }), (parts) => void readYaml(parts.join(''))),
      { numRuns: 100 },
    );
  });
});

describe('YAML text is refused', () => {
  it.each([
    ['a : b: c', 'at line 1, column 5: Nested mappings are not allowed in compact mappings'],
    ['a: 1\nb: 2\n"a": 3', 'at line 3, column 1: the key "a" is there twice'],
    ['a: *nobody', 'Unresolved alias (the anchor must be set before the alias): nobody'],
    ['? [a, b]\n: 1', 'at line 1, column 3: a key must be text'],
    ['a: !!binary aGk=', 'at line 1, column 4: Unresolved tag: tag:yaml.org,2002:binary'],
    ['a: !env HOME', 'at line 1, column 4: Unresolved tag: !env'],
    ['a: 1\n---\nb: 2', 'at line 2, column 1: Source contains multiple documents'],
    ['a: {b: [1, .inf]}', 'a number is too large; write it as a string (at /a/b/1)'],
    ['a: {__proto__: {admin: true}}', 'a key is "__proto__", which is not allowed (at /a/__proto__)'],
  ])('where it says %j', (text, fault) => {
    expect(said(text)).toEqual(expect.arrayContaining([expect.stringContaining(fault)]));
  });

  it('where a %YAML line asks for what older versions do', () => {
    const old = '%YAML 1.1\n---\na: &a {x: 1}\nb: {<<: *a, on: yes, d: 2001-01-01}\n';
    expect(said(old)).toEqual({ a: { x: 1 }, b: { '<<': { x: 1 }, on: 'yes', d: '2001-01-01' } });
  });

  it.each([
    [
      'lists',
      `a0: &a0 [x, x]\n${lines(30, (n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)}`,
      'aliases unfold into too much',
    ],
    [
      'merges',
      `%YAML 1.1\n---\na0: &a0 {x: 1}\n${lines(30, (n) => `a${n + 1}: &a${n + 1} {<<: [*a${n}, *a${n}]}`)}`,
      'aliases unfold into too much',
    ],
    ['a circle', 'a: &a [*a, *a]', 'values are nested over 500 levels deep (at /a/'],
    ['a long list, often', `a: &a [${'1,'.repeat(5000)}]\nb: [${'*a,'.repeat(90)}]`, 'there are too many values'],
  ])('where aliases unfold into too much: %s', (_name, text, fault) => {
    expect(said(text)).toEqual([expect.stringContaining(fault)]);
  });

  it.each([
    ['flow', (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`],
    ['objects', (levels: number) => `${'{a: '.repeat(levels)}1${'}'.repeat(levels)}`],
    ['block', (levels: number) => `${'- '.repeat(levels)}1`],
  ])('where it is nested too deep: %s', (_name, nested) => {
    expect(said(nested(100))).toEqual(expect.anything());
    for (const levels of [501, 5000])
      expect(said(nested(levels))).toEqual([expect.stringMatching(/nested (too deep|over 500)/)]);
  });

  it('where it would take long to read', () => {
    expect(said('x'.repeat(YAML_LIMITS.chars + 1))).toEqual([
      'the text has 2000001 characters, at most 2000000 are read',
    ]);
    expect(said('- 1\n'.repeat(40_000))).toEqual(['there are too many keys and values for YAML; send them as JSON']);
    // Compared with each other, keys by the ten thousand took the reader half a minute.
    expect(said(lines(4000, (n) => `k${n}: 1`))).toEqual(expect.objectContaining({ k3999: 1 }));
    expect(said(lines(1000, () => 'a: 1'))).toHaveLength(YAML_LIMITS.faults);
  });
});
