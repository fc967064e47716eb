import type { Json } from '../../json.js';
import { describeValue } from '../fault-writer.js';
import { inputFaults } from '../input-value.js';
import { INPUT_NAME_PATTERN, INPUT_NAME_WORDS, RESERVED_NAMES } from '../names.js';
import type { InputDeclaration, InputType } from '../pipeline-definition.js';
import type { Fields } from './fields.js';

const INPUT_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;

/** Bounds that mean something for one type only. */
const BOUNDS: readonly { readonly keys: readonly string[]; readonly types: readonly InputType[] }[] = [
  { keys: ['min_length', 'max_length'], types: ['string'] },
  { keys: ['min', 'max'], types: ['number', 'integer'] },
  { keys: ['min_items', 'max_items'], types: ['array'] },
];

export function readInputs(fields: Fields): ReadonlyMap<string, InputDeclaration> {
  return new Map(
    fields.children('inputs').map(([name, input]): [string, InputDeclaration] => {
      checkName(name, input);
      return [name, readInput(input)];
    }),
  );
}

function checkName(name: string, fields: Fields): void {
  if (INPUT_NAME_PATTERN.test(name) && !RESERVED_NAMES.has(name)) return;
  const expected = RESERVED_NAMES.has(name) ? 'a name that is no word of the expression language' : INPUT_NAME_WORDS;
  fields.reading.fault(fields.path, { code: 'bad_name', found: describeValue(name), expected });
}

function readInput(fields: Fields): InputDeclaration {
  const enumeration = fields.raw('enum');
  const declaration: InputDeclaration = {
    type: fields.choice('type', INPUT_TYPES, 'string'),
    description: fields.text('description'),
    required: fields.flag('required') ?? false,
    default: fields.raw('default'),
    enum: Array.isArray(enumeration) ? enumeration : null,
    minLength: fields.number('min_length'),
    maxLength: fields.number('max_length'),
    min: fields.number('min'),
    max: fields.number('max'),
    minItems: fields.number('min_items'),
    maxItems: fields.number('max_items'),
  };
  // Without a valid type every further fault would only repeat that one.
  if (INPUT_TYPES.some((type) => type === fields.raw('type'))) checkDeclaration(fields, declaration);
  return declaration;
}

function checkDeclaration(fields: Fields, declaration: InputDeclaration): void {
  for (const { keys, types } of BOUNDS) {
    checkBoundTypes(fields, declaration.type, keys, types);
    checkBoundOrder(fields, keys);
  }
  for (const [index, value] of (declaration.enum ?? []).entries()) {
    checkValue(fields, ['enum', index], value, { ...declaration, enum: null });
  }
  if (declaration.default !== undefined && declaration.default !== null) {
    checkValue(fields, ['default'], declaration.default, declaration);
  }
}

function checkBoundTypes(fields: Fields, type: InputType, keys: readonly string[], types: readonly InputType[]): void {
  for (const key of keys) {
    if (!fields.has(key) || types.includes(type)) continue;
    fields.reading.fault(fields.at(key), {
      code: 'key_not_for_type',
      found: `${key} on an input of type ${type}`,
      expected: `type ${types.join(' or ')}`,
    });
  }
}

function checkBoundOrder(fields: Fields, [lowKey = '', highKey = '']: readonly string[]): void {
  const low = fields.number(lowKey);
  const high = fields.number(highKey);
  if (low === null || high === null || low <= high) return;
  fields.reading.fault(fields.at(highKey), {
    code: 'out_of_range',
    found: String(high),
    expected: `at least ${lowKey} (${low})`,
  });
}

function checkValue(
  fields: Fields,
  keys: readonly (string | number)[],
  value: Json,
  declaration: InputDeclaration,
): void {
  for (const fault of inputFaults(declaration, value)) fields.reading.fault([...fields.path, ...keys], fault);
}
