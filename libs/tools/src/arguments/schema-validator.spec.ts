import { SchemaValidator } from './schema-validator.js';

const validator = new SchemaValidator();

describe('SchemaValidator', () => {
  it('reads 2020-12 and draft-07 schemas', () => {
    expect(validator.validate({ type: 'array', prefixItems: [{ type: 'string' }] }, [1])).toEqual({
      ok: false,
      detail: '/0 must be string',
    });
    const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'string' }] };
    expect(validator.validate(draft07, [1])).toEqual({ ok: false, detail: '/0 must be string' });
  });

  it('follows local references and refuses remote ones', () => {
    const local = { type: 'object', properties: { a: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'number' } } };
    expect(validator.validate(local, { a: 'x' })).toEqual({ ok: false, detail: '/a must be number' });
    expect(validator.checkSchema({ $ref: 'https://example.com/schema.json' })).toMatchObject({
      ok: false,
      detail: expect.stringContaining("can't resolve reference"),
    });
  });

  it('refuses faulty schemas with the reason', () => {
    expect(validator.checkSchema({ type: 'strnig' })).toMatchObject({
      ok: false,
      detail: expect.stringContaining('type'),
    });
    expect(validator.checkSchema({ type: 'string', pattern: '(?=a)b' })).toMatchObject({ ok: false });
    expect(validator.checkSchema({ type: 'string', pattern: '(' })).toMatchObject({ ok: false });
    expect(validator.checkSchema({ $async: true, type: 'object' })).toMatchObject({ ok: false });
    expect(validator.checkSchema({ description: 'x'.repeat(300_000) })).toMatchObject({ ok: false });
  });

  // A matcher that goes back would not end before the test's own limit.
  it('matches patterns in linear time', () => {
    expect(validator.validate({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(20_000)}!`)).toMatchObject({
      ok: false,
    });
  });

  // Compared with each other, these take Ajv minutes.
  it('finds elements that stand twice in linear time, whatever they are', () => {
    const schema = { type: 'array', uniqueItems: true };
    const many = Array.from({ length: 50_000 }, (_, index) => ({ index }));
    expect(validator.validate(schema, many)).toEqual({ ok: true });
    const twice = { ok: false, detail: 'the value must NOT have duplicate items' };
    expect(validator.validate(schema, [...many, { index: 7 }])).toEqual(twice);
    expect(
      validator.validate(schema, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toEqual(twice);
    expect(validator.validate(schema, [1, '1', true, null, [1], {}])).toEqual({ ok: true });
    expect(validator.validate({ ...schema, uniqueItems: false }, [1, 1])).toEqual({ ok: true });
    expect(validator.checkSchema({ required: ['a', 'a'] })).toMatchObject({ ok: false });
  });

  it('refuses schemas that refer to themselves without end', () => {
    const endless = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
    expect(validator.checkSchema(endless)).toMatchObject({ ok: false });
  });

  it('matches anywhere in the text unless anchored, with Unicode', () => {
    expect(validator.validate({ pattern: 'b[0-9]{2}' }, 'ab12c')).toEqual({ ok: true });
    expect(validator.validate({ pattern: '^\\p{L}+$' }, 'Żółw')).toEqual({ ok: true });
    expect(validator.validate({ pattern: '^\\d{2}/\\d{2}$' }, '12/30')).toEqual({ ok: true });
  });

  it('keeps two schemas with one $id apart', () => {
    expect(validator.validate({ $id: 'same', type: 'string' }, 1)).toMatchObject({ ok: false });
    expect(validator.validate({ $id: 'same', type: 'number' }, 1)).toEqual({ ok: true });
  });

  it('names five faults and counts the rest', () => {
    const required = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    expect(validator.validate({ type: 'object', required }, {})).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/and 2 more$/),
    });
  });

  it('lists allowed values', () => {
    expect(validator.validate({ enum: ['smalltalk', 'question'] }, 'other')).toEqual({
      ok: false,
      detail: 'the value must be one of "smalltalk", "question"',
    });
  });
});
