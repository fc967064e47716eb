import fc from 'fast-check';
import { canonicalJson } from '../canonical-json.js';
import { effectiveStep } from './effective-step.js';
import { allSteps } from './graph.js';
import { parsePipeline } from './parse-pipeline.js';
import type { PipelineFacts } from './pipeline-facts.js';
import { pipelineFixture, soundFacts } from './testing/sound-facts.js';

const facts: PipelineFacts = { ...soundFacts, connections: null, defaultModel: 'builtin:extractive' };

const sampleJson = JSON.stringify(pipelineFixture('design-sample.yml'));
const sample = (): unknown => JSON.parse(sampleJson);

const keys = fc.constantFrom(
  'name',
  'steps',
  'agents',
  'tools',
  'inputs',
  'output',
  'id',
  'agent',
  'task',
  'when',
  'depends_on',
  'for_each',
  'do',
  'repeat',
  'until',
  'type',
  'default',
  'enum',
  'kind',
  'url',
  'context',
  'mode',
  'on_error',
  'goto',
  'retry',
  'timeout',
  'sleep',
  'approval',
  'join',
  'tool',
  'args',
  'model',
  '__proto__',
  'constructor',
  'a',
);
const leaves = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    '',
    'a',
    'b',
    '${',
    '${steps.a.output}',
    '${inputs.a}',
    'steps.a',
    '5m',
    'any',
    'http',
    'string',
    'openai:x',
    'fail',
    undefined,
    Number.NaN,
    10n,
    '\ud800',
    '${item}',
    'https://x',
  ),
  fc.string(),
);
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', maxDepth: 6 },
    leaves,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 6 }),
  ),
})).value;

type Container = Record<string | number, unknown>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** The places of a document: what holds a value, and under which key. */
function placesIn(value: unknown): { holder: Container; key: string }[] {
  if (!isContainer(value)) return [];
  return Object.keys(value).flatMap((key) => [{ holder: value, key }, ...placesIn(value[key])]);
}

describe('laws of parsing', () => {
  it('any value gives a definition or faults, never an exception', () => {
    fc.assert(
      fc.property(anything, (document) => {
        const parsed = parsePipeline(document, facts);
        if (!parsed.ok) expect(parsed.errors.length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });

  it('a sound document with anything in any place gives a definition or faults that name a place', () => {
    fc.assert(
      fc.property(fc.nat(), anything, (at, value) => {
        const document: unknown = sample();
        const places = placesIn(document);
        const place = places[at % places.length];
        if (place !== undefined) place.holder[place.key] = value;
        const parsed = parsePipeline(document, facts);
        if (parsed.ok) return;
        for (const fault of parsed.errors) {
          expect(fault.detail.startsWith(fault.path === '' ? 'The document' : fault.path)).toBe(true);
          expect(fault.expected).not.toBe('');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('the stored form of an accepted document gives the same definition', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (at, other) => {
        const document: unknown = sample();
        const places = placesIn(document).filter((place) => Array.isArray(place.holder) === false);
        for (const index of [at, other]) {
          const place = places[index % places.length];
          if (place !== undefined) delete place.holder[place.key];
        }
        const parsed = parsePipeline(document, facts);
        if (!parsed.ok) return;
        const again = parsePipeline(JSON.parse(canonicalJson(parsed.document)), facts);
        expect(again.ok && canonicalJson(again.document)).toEqual(canonicalJson(parsed.document));
        if (again.ok) expect(again.definition.steps).toEqual(parsed.definition.steps);
        for (const step of allSteps(parsed.definition.steps))
          expect(effectiveStep(parsed.definition, step.id)).not.toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});
