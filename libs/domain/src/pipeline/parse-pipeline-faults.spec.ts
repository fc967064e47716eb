import { z } from 'zod';
import { parsePipeline } from './parse-pipeline.js';
import { faultsOf, pipelineFixture, soundFacts } from './testing/sound-facts.js';

/** A small sound document, some of its keys replaced. */
function document(changes: Record<string, unknown> = {}) {
  return {
    name: 'p',
    inputs: { q: { type: 'string' } },
    agents: { chat: { model: 'builtin:extractive' } },
    tools: {
      look: {
        kind: 'http',
        url: 'https://x.example/${args.q}',
        parameters: { type: 'object', properties: { q: { type: 'string' } } },
      },
    },
    steps: [
      { id: 'a', agent: 'chat', task: '${inputs.q}' },
      { id: 'b', depends_on: ['a'], tool: 'look', args: { q: '${steps.a.output}' } },
    ],
    output: '${steps.b.output}',
    ...changes,
  };
}

describe('a document with faults', () => {
  it('gets all of them at once, each with its path, of every sort', () => {
    const broken = {
      name: 'bad name',
      inputs: { q: { type: 'text' }, n: { type: 'integer', default: 'three' } },
      agents: { chat: { model: 'azure:gpt', tools: ['serch'] } },
      tools: { search: { kind: 'http', url: 'ftp://x' } },
      timeout: 300,
      steps: [
        { id: 'a', agent: 'chta', task: '${inputs.p}', when: 'inputs.q ==' },
        { id: 'a', tool: 'search', depends_on: ['c'] },
        { id: 'c', transform: 1, depends_on: ['d'] },
        { id: 'd', transform: '${steps.a.output}', depends_on: ['c'], join: 'some' },
        { id: 'e', taks: 'x', agent: 'chat' },
      ],
      output: '${steps.zz.output}',
      on_bussy: 'enqueue',
    };
    expect(faultsOf(broken).sort()).toEqual(
      [
        'name: bad_name',
        'inputs.q.type: invalid_value',
        'inputs.n.default: wrong_type',
        'agents.chat.model: unknown_connection',
        'agents.chat.tools[0]: unknown_tool',
        'tools.search.url: bad_url',
        'timeout: wrong_type',
        'steps[0].agent: unknown_agent',
        'steps[0].task: unknown_input',
        'steps[0].when: bad_expression',
        'steps[1].id: duplicate_step',
        'steps[2].depends_on: cycle',
        'steps[3].join: invalid_value',
        'steps[3].transform: step_not_upstream',
        'steps[4].taks: unknown_key',
        'steps[4].task: missing',
        'output: unknown_step',
        'on_bussy: unknown_key',
      ].sort(),
    );
  });

  it('says what was found, what is expected and what was probably meant', () => {
    const parsed = parsePipeline(document({ timeout: 300, stepz: [] }), soundFacts);
    expect(parsed.ok ? [] : parsed.errors).toEqual([
      {
        path: 'timeout',
        code: 'wrong_type',
        found: '300',
        expected: 'a duration with its unit: "300s" for seconds, "300ms" for milliseconds',
        detail: 'timeout: found 300, expected a duration with its unit: "300s" for seconds, "300ms" for milliseconds.',
      },
      expect.objectContaining({
        path: 'stepz',
        code: 'unknown_key',
        detail: expect.stringContaining('Did you mean "steps"?'),
      }),
    ]);
  });

  const { base, faults } = z
    .object({
      base: z.record(z.string(), z.unknown()),
      faults: z.array(z.object({ name: z.string(), change: z.record(z.string(), z.unknown()), fault: z.string() })),
    })
    .parse(pipelineFixture('one-fault-each.yml'));

  it('has a sound base for the faults of the fixture', () => {
    expect(faultsOf(base)).toEqual([]);
  });

  it.each(faults.map(({ name, change, fault }): [string, unknown, string] => [name, { ...base, ...change }, fault]))(
    '%s is one fault',
    (_name, value, expected) => {
      expect(faultsOf(value)).toEqual([expected]);
    },
  );

  it.each<[string, unknown, string]>([
    ['no object', 'x', ': wrong_type'],
    ['no steps', { name: 'p' }, 'steps: missing'],
    ['a value that is no JSON', document({ tags: [new Date(0)] }), 'tags[0]: not_json'],
    ['half a surrogate pair', document({ description: '\ud800' }), 'description: not_well_formed'],
  ])('%s is one fault', (_name, value, expected) => {
    expect(faultsOf(value)).toEqual([expected]);
  });

  it('reports kinds and features that the build does not have', () => {
    const kinds = { executableStepKinds: ['agent'] as const, executableToolKinds: ['builtin'] as const };
    expect(faultsOf(document(), kinds)).toEqual([
      'steps[1].tool: step_kind_not_available',
      'tools.look.kind: tool_kind_not_available',
    ]);
    const missing = document({
      on_busy: 'reject',
      agents: { chat: { model: 'builtin:extractive', output_schema: { type: 'object' } } },
      tools: { look: { kind: 'http', url: 'https://x', requires_approval: true } },
      steps: [{ id: 'a', agent: 'chat', task: [{ type: 'image', url: 'https://x' }], on_error: 'continue' }],
      output: 1,
    });
    const missingFeatures = ['on_busy', 'output_schema', 'tool_approval', 'on_error', 'task_parts'] as const;
    expect(faultsOf(missing, { missingFeatures })).toEqual([
      'on_busy: feature_not_available',
      'agents.chat.output_schema: feature_not_available',
      'tools.look.requires_approval: feature_not_available',
      'steps[0].on_error: feature_not_available',
      'steps[0].task: feature_not_available',
    ]);
    expect(faultsOf(missing)).toEqual([]);
  });

  it('reports schemas that the injected check refuses', () => {
    const checkJsonSchema = () => 'type must be a string';
    expect(faultsOf(document(), { checkJsonSchema })).toEqual(['tools.look.parameters: bad_schema']);
  });

  it('says nothing about names that are not known', () => {
    const unknown = { connections: null, plugins: null, mcpServers: null };
    expect(
      faultsOf(document({ agents: { chat: { model: 'azure:gpt' } }, tools: { look: { kind: 'plugin' } } }), unknown),
    ).toEqual([]);
  });

  it('does not follow a broken block with a fault for every name in it', () => {
    expect(faultsOf(document({ agents: ['chat'] }))).toEqual(['agents: wrong_type']);
  });

  it('finds a way round over goto to be a cycle', () => {
    const steps = [
      { id: 'a', transform: 1 },
      { id: 'b', depends_on: ['a'], transform: 1, on_error: { goto: 'a' } },
    ];
    expect(faultsOf(document({ steps, output: 1 }))).toEqual(['steps[0].on_error: cycle']);
  });

  it('refuses documents that are too large, too deep or circular before anything else', () => {
    const deep: unknown[] = [];
    deep.push(deep);
    expect(faultsOf(document({ tags: deep }))).toEqual(['tags[0][0][0]: document_too_large']);
    expect(faultsOf(document({ description: 'x'.repeat(1_000_001) }))).toEqual([': document_too_large']);
    let bomb: unknown = ['x'];
    for (let level = 0; level < 30; level += 1) bomb = [bomb, bomb];
    expect(faultsOf(document({ tags: bomb }))).toEqual([': document_too_large']);
  });

  it('compares nothing in a document with far too many steps', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({
      id: `s${index}`,
      transform: 1,
      depends_on: ['nobody'],
    }));
    expect(faultsOf(document({ steps: many, output: 1 }))).toEqual(['steps: too_many']);
  });

  it('counts the rest of a very long list of faults', () => {
    const steps = Array.from({ length: 400 }, (_, index) => ({ id: `s${index}` }));
    const faults = faultsOf(document({ steps, output: 1 }));
    expect(faults).toHaveLength(201);
    expect(faults.at(-1)).toBe(': too_many_faults');
  });
});
