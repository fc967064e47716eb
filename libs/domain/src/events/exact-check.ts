import { z } from 'zod';

/**
 * A schema as one function that answers without building anything whether parsing a JSON value would give back the same: most
 * stored bodies are exactly what their schema makes of them. False says nothing: the value does not fit, is changed (something
 * has a default, something is left out), or the schema has parts that are not known here. The law: true for a value means that
 * parsing gives an equal one.
 */
export function exactCheck<S extends z.core.$ZodType>(schema: S): (value: unknown) => value is z.core.output<S> {
  const check = checkOf(schema);
  return (value): value is z.core.output<S> => check(value);
}

type Check = (value: unknown) => boolean;

function checkOf(schema: z.core.$ZodType): Check {
  if (schema instanceof z.ZodObject)
    return schema.def.catchall === undefined ? whenPlain(schema, objectCheck(schema.shape)) : never;
  if (schema instanceof z.ZodString) return whenPlain(schema, (value) => typeof value === 'string');
  if (schema instanceof z.ZodNumber) return numberCheck(schema);
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodNull) return (value) => value === null;
  if (schema instanceof z.ZodLiteral) return oneOf(schema.def.values);
  if (schema instanceof z.ZodEnum) return oneOf(schema.options);
  if (schema instanceof z.ZodArray) return whenPlain(schema, arrayCheck(checkOf(schema.element)));
  if (schema instanceof z.ZodTuple)
    return schema.def.rest === null ? whenPlain(schema, tupleCheck(schema.def.items.map(checkOf))) : never;
  if (schema instanceof z.ZodRecord)
    return schema.keyType instanceof z.ZodString ? whenPlain(schema, recordCheck(checkOf(schema.valueType))) : never;
  if (schema instanceof z.ZodUnion)
    return areApart(schema) ? whenPlain(schema, anyOf(schema.options.map(checkOf))) : never;
  if (schema instanceof z.ZodLazy) return lazyCheck(schema.def.getter);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return checkOf(schema.def.innerType);
  if (!(schema instanceof z.ZodNullable)) return never;
  const inner = checkOf(schema.def.innerType);
  return (value) => value === null || inner(value);
}

const never: Check = () => false;

/** Refinements are not looked into. */
const whenPlain = ({ def: { checks } }: { def: { checks?: readonly unknown[] } }, check: Check): Check =>
  checks === undefined || checks.length === 0 ? check : never;

const oneOf = (values: readonly unknown[]): Check => {
  const [only] = values;
  return values.length === 1 ? (value) => value === only : (value) => values.includes(value);
};

function anyOf(checks: readonly Check[]): Check {
  return (value) => {
    for (const check of checks) if (check(value)) return true;
    return false;
  };
}

/** Parsing takes the first option that a value fits, which need not be the one that keeps all of it. */
function areApart(union: z.ZodUnion): boolean {
  const kinds = union.options.map(kindOf);
  return union instanceof z.ZodDiscriminatedUnion || (!kinds.includes(null) && new Set(kinds).size === kinds.length);
}

/** What all values of a schema are; null: that is not known. */
function kindOf(schema: z.core.$ZodType): string | null {
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return 'object';
  if (schema instanceof z.ZodArray || schema instanceof z.ZodTuple) return 'array';
  const isScalar = [z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodNull].some((type) => schema instanceof type);
  return isScalar ? schema._zod.def.type : null;
}

/** Schemas that contain themselves are looked into when they are needed. */
function lazyCheck(getter: () => z.core.$ZodType): Check {
  let check: Check | null = null;
  return (value) => {
    check ??= checkOf(getter());
    return check(value);
  };
}

/** Of the checks of numbers those that events have: whole, not negative, positive. */
function numberCheck({ def, isInt }: z.ZodNumber): Check {
  const isWhole: Check = isInt ? Number.isSafeInteger : Number.isFinite;
  let least = -Infinity;
  for (const check of def.checks ?? []) {
    if (check instanceof z.core.$ZodCheckGreaterThan && check._zod.def.value === 0) {
      // Whatever is above 0 and no double below the least one.
      least = Math.max(least, check._zod.def.inclusive ? 0 : Number.MIN_VALUE);
    } else if (!(check instanceof z.core.$ZodCheckNumberFormat && check._zod.def.format === 'safeint')) return never;
  }
  return (value) => typeof value === 'number' && value >= least && isWhole(value);
}

function arrayCheck(element: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const member of value) if (!element(member)) return false;
    return true;
  };
}

const tupleCheck =
  (items: readonly Check[]): Check =>
  (value) =>
    Array.isArray(value) && value.length === items.length && items.every((check, at) => check(value[at]));

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What `JSON.parse` makes of the key `__proto__` is a member like others, and nothing that parsing gives back. */
function recordCheck(member: Check): Check {
  return (value) => {
    if (!isObject(value)) return false;
    for (const key of Object.keys(value)) if (key === '__proto__' || !member(value[key])) return false;
    return true;
  };
}

function objectCheck(shape: { readonly [key: string]: z.core.$ZodType }): Check {
  const members = Object.entries(shape).map(([key, schema]) => {
    return { key, check: checkOf(schema), isOptional: schema instanceof z.ZodOptional };
  });
  return (value) => {
    if (!isObject(value)) return false;
    let found = 0;
    for (const { key, check, isOptional } of members) {
      const member = value[key];
      if (member === undefined) {
        if (!isOptional) return false;
        continue;
      }
      if (!check(member)) return false;
      found += 1;
    }
    return Object.keys(value).length === found;
  };
}
