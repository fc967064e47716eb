import fc from 'fast-check';
import { z } from 'zod';
import { eventCatalogue, isEventType } from './event-catalogue.js';
import { exactCheck } from './exact-check.js';

const TYPES = Object.keys(eventCatalogue).filter(isEventType);
const noise = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(undefined, 0, -1, 1.5, 2 ** 60, Infinity, '', null, [], {}, JSON.parse('{"__proto__":1}') as unknown),
);

/** Values of a schema, now and then with something else in a place of it: missing, too much, or of another type. */
function nearly(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 60, arbitrary: valuesOf(schema) }, { weight: 1, arbitrary: noise });
}

function valuesOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodObject) return objectsOf(schema.shape);
  if (schema instanceof z.ZodNumber) return fc.integer({ min: schema.def.checks?.length === 2 ? 1 : 0, max: 50 });
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodNull) return fc.constant(null);
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.def.values);
  if (schema instanceof z.ZodEnum) return fc.constantFrom<unknown>(...Object.values(schema.def.entries));
  if (schema instanceof z.ZodArray) return fc.array(nearly(schema.element), { maxLength: 3 });
  if (schema instanceof z.ZodTuple) return fc.tuple(...schema.def.items.map(nearly));
  if (schema instanceof z.ZodRecord) return fc.dictionary(fc.string(), nearly(schema.valueType), { maxKeys: 3 });
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.options.map(nearly));
  if (schema instanceof z.ZodLazy) return fc.jsonValue({ maxDepth: 2 });
  if (schema instanceof z.ZodNullable) return fc.option(nearly(schema.def.innerType));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return nearly(schema.def.innerType);
  return fc.string();
}

function objectsOf(shape: { readonly [key: string]: z.core.$ZodType }): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, nearly(schema)]));
  const optional = Object.keys(shape).filter((key) => shape[key] instanceof z.ZodOptional);
  const required = Object.keys(shape).filter((key) => !optional.includes(key));
  return fc
    .tuple(
      fc.record(members, { requiredKeys: required }),
      fc.oneof(
        { weight: 60, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.dictionary(fc.string(), noise, { maxKeys: 1 }) },
      ),
      fc.oneof(
        { weight: 60, arbitrary: fc.constant<string[]>([]) },
        { weight: 1, arbitrary: fc.subarray(Object.keys(shape)) },
      ),
    )
    .map(([value, more, missing]) =>
      Object.fromEntries(Object.entries({ ...value, ...more }).filter(([key]) => !missing.includes(key))),
    );
}

describe('the exact check of stored bodies', () => {
  it.each(TYPES)('takes of %s only what parsing gives back unchanged', (type) => {
    const { schema } = eventCatalogue[type];
    const isExact = exactCheck(schema);
    let exact = 0;
    let parsed = 0;
    fc.assert(
      fc.property(nearly(schema), (value) => {
        const result = z.safeParse(schema, value);
        if (result.success) parsed += 1;
        if (!isExact(value)) return;
        exact += 1;
        expect(result.success).toBe(true);
        expect(result.data).toEqual(value);
      }),
      { numRuns: 300 },
    );
    // Else it would be a longer way to do the same.
    expect(exact).toBeGreaterThan(parsed / 2);
  });

  it('leaves to parsing what has a choice, a refinement or a default to make', () => {
    const text = z.object({ a: z.string() });
    expect(exactCheck(z.union([text, text.extend({ b: z.string() })]))({ a: '', b: '' })).toBe(false);
    expect(exactCheck(z.string().min(2))('abc')).toBe(false);
    expect(exactCheck(z.strictObject({ a: z.string() }))({ a: '' })).toBe(false);
    expect(exactCheck(z.record(z.enum(['a', 'b']), z.string()))({ a: '' })).toBe(false);
    expect(exactCheck(z.object({ a: z.string().default('') }))({})).toBe(false);
    expect(exactCheck(z.number().int().positive())(0)).toBe(false);
  });
});
