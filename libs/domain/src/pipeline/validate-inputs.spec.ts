import type { Json } from '../json.js';
import { definitionOf } from './testing/sound-facts.js';
import { validateInputs } from './validate-inputs.js';

const definition = (inputs: Record<string, unknown>) =>
  definitionOf({ name: 'p', inputs, steps: [{ id: 'a', transform: 1 }] });

function faults(inputs: Record<string, unknown>, given: Json | undefined): string[] {
  const validated = validateInputs(definition(inputs), given);
  return validated.ok ? [] : validated.errors.map((error) => `${error.path}: ${error.code}`);
}

describe('inputs of a run', () => {
  it('are filled with defaults; optional ones that are absent or null stay absent', () => {
    const declared = {
      a: { type: 'string' },
      b: { type: 'integer', default: 3 },
      c: { type: 'boolean', default: false },
      d: { type: 'array' },
    };
    expect(validateInputs(definition(declared), { c: true, d: null })).toEqual({ ok: true, inputs: { b: 3, c: true } });
    expect(validateInputs(definition(declared), undefined)).toEqual({ ok: true, inputs: { b: 3, c: false } });
  });

  it.each<[string, Record<string, unknown>, Json, string]>([
    ['missing', { a: { type: 'string', required: true } }, {}, 'inputs.a: missing'],
    ['null for a required one', { a: { type: 'string', required: true } }, { a: null }, 'inputs.a: missing'],
    ['not declared', { a: { type: 'string' } }, { aa: 1 }, 'inputs.aa: unknown_input'],
    ['a number for a text', { a: { type: 'string' } }, { a: 1 }, 'inputs.a: wrong_type'],
    ['a text for a number', { a: { type: 'number' } }, { a: '1' }, 'inputs.a: wrong_type'],
    ['a fraction for an integer', { a: { type: 'integer' } }, { a: 1.5 }, 'inputs.a: wrong_type'],
    ['a list for an object', { a: { type: 'object' } }, { a: [] }, 'inputs.a: wrong_type'],
    ['an object for a list', { a: { type: 'array' } }, { a: {} }, 'inputs.a: wrong_type'],
    ['too long', { a: { type: 'string', max_length: 2 } }, { a: 'abc' }, 'inputs.a: out_of_range'],
    ['too short', { a: { type: 'string', min_length: 2 } }, { a: '😀' }, 'inputs.a: out_of_range'],
    ['too small', { a: { type: 'number', min: 1 } }, { a: 0.5 }, 'inputs.a: out_of_range'],
    ['too many', { a: { type: 'array', max_items: 1 } }, { a: [1, 2] }, 'inputs.a: out_of_range'],
    ['not a choice', { a: { type: 'string', enum: ['x', 'y'] } }, { a: 'z' }, 'inputs.a: not_in_enum'],
    [
      'half a surrogate pair, deep inside',
      { a: { type: 'object' } },
      { a: { b: ['\ud800'] } },
      'inputs.a: not_well_formed',
    ],
    [
      'a key that is no well-formed text',
      { a: { type: 'object' } },
      { a: { '\udc00': 1 } },
      'inputs.a: not_well_formed',
    ],
    ['no object', {}, [1], 'inputs: wrong_type'],
    ['over the total size', { a: { type: 'string' } }, { a: 'x'.repeat(1_000_000) }, 'inputs: too_large'],
  ])('%s is a fault', (_name, declared, given, expected) => {
    expect(faults(declared, given)).toEqual([expected]);
  });

  it('that are nested without end are refused, not walked', () => {
    let deep: Json = [];
    for (let level = 0; level < 50_000; level += 1) deep = [deep];
    expect(faults({ a: { type: 'array' } }, { a: deep })).toEqual(['inputs: too_large']);
  });

  it('count lengths in code points, and choices of any type', () => {
    expect(faults({ a: { type: 'string', max_length: 2 } }, { a: '😀😀' })).toEqual([]);
    expect(faults({ a: { type: 'object', enum: [{ x: 1, y: 2 }] } }, { a: { y: 2, x: 1 } })).toEqual([]);
  });

  it('get all faults at once', () => {
    const declared = { a: { type: 'string', required: true }, b: { type: 'number' } };
    expect(faults(declared, { b: 'x', c: 1 })).toEqual([
      'inputs.c: unknown_input',
      'inputs.a: missing',
      'inputs.b: wrong_type',
    ]);
  });

  it('do not read inherited names as values', () => {
    expect(faults({ constructor: { type: 'string', required: true } }, {})).toEqual(['inputs.constructor: missing']);
  });
});
