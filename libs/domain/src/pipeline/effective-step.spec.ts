import { celExpressions } from '#libs/expressions';
import { effectiveStep } from './effective-step.js';
import { dependantsOf, findDefinedStep, referencesOf, stepOrder, upstreamOf } from './graph.js';
import { definitionOf } from './testing/sound-facts.js';
import { pipelineVariables, toolVariables } from './variables.js';

const language = celExpressions();

const agents = { chat: { context: { preset: 'chat' } }, coder: { model: 'openai:b', context: { mode: 'fresh' } } };

const definition = (document: Record<string, unknown>) =>
  definitionOf({ name: 'p', agents, ...document }, { defaultModel: 'openai:z' });

const steps = [
  { id: 'last', depends_on: ['second'], transform: '${steps.second.output + steps.first.status}' },
  { id: 'first', agent: 'chat', task: 'a ${inputs.q} and ${run.id}', when: 'inputs.q != null' },
  {
    id: 'second',
    depends_on: ['first'],
    agent: 'coder',
    task: 'b',
    model: 'openai:c',
    timeout: '1m',
    retry: { max_attempts: 5 },
  },
  {
    id: 'each',
    depends_on: ['first'],
    for_each: '${steps.first.output}',
    do: { steps: [{ id: 'inner', agent: 'chat', task: '${item}' }] },
  },
];
const inputs = { q: { type: 'string' } };

describe('effective settings of a step', () => {
  it('are the documented defaults where the document says nothing', () => {
    expect(effectiveStep(definition({ inputs, steps }), 'first')).toMatchObject({
      timeoutMs: 600_000,
      retry: { maxAttempts: 3, backoffMs: 2_000, maxBackoffMs: 60_000, jitter: true },
      model: null,
      agent: { name: 'chat' },
      contextLevels: { step: null, agent: { preset: 'chat' }, pipeline: null },
      contextMode: null,
      containers: [],
    });
  });

  it('come from the step, then the agent, then the defaults, retry field by field', () => {
    const withDefaults = definition({
      inputs,
      steps,
      defaults: { model: 'openai:a', timeout: '2m', retry: { backoff: '1s', jitter: false } },
      context: { mode: 'inherit' },
    });
    expect(effectiveStep(withDefaults, 'second')).toMatchObject({
      timeoutMs: 60_000,
      model: 'openai:c',
      retry: { maxAttempts: 5, backoffMs: 1_000, maxBackoffMs: 60_000, jitter: false },
      contextMode: 'fresh',
    });
    expect(effectiveStep(withDefaults, 'first')).toMatchObject({
      timeoutMs: 120_000,
      model: 'openai:a',
      contextMode: 'inherit',
    });
  });

  it('have no time limit and one attempt where a step waits for others', () => {
    expect(effectiveStep(definition({ inputs, steps, defaults: { timeout: '2m' } }), 'each')).toMatchObject({
      timeoutMs: null,
      retry: { maxAttempts: 1 },
    });
  });

  it('are fresh inside a for_each unless something is said', () => {
    expect(effectiveStep(definition({ inputs, steps }), 'inner')).toMatchObject({
      contextMode: 'fresh',
      containers: [{ id: 'each' }],
    });
    expect(effectiveStep(definition({ inputs, steps, context: { mode: 'inherit' } }), 'inner')).toMatchObject({
      contextMode: 'inherit',
    });
  });

  it('of an unknown step are null', () => {
    expect(effectiveStep(definition({ inputs, steps }), 'nobody')).toBeNull();
  });
});

describe('the graph', () => {
  const defined = definition({ inputs, steps });
  const ids = (list: Iterable<{ id: string }>) => [...list].map((step) => step.id);

  it('orders steps by their dependencies, else as they are written', () => {
    expect(ids(stepOrder(defined.steps))).toEqual(['first', 'second', 'last', 'each']);
  });

  it('knows dependants and everything upstream', () => {
    expect(ids(dependantsOf(defined.steps, 'first'))).toEqual(['second', 'each']);
    expect([...upstreamOf(defined.steps, 'last')].sort()).toEqual(['first', 'second']);
    expect(findDefinedStep(defined, 'inner')?.containers.map((step) => step.id)).toEqual(['each']);
  });

  it('knows what a step reads', () => {
    const names = (id: string) => {
      const found = findDefinedStep(defined, id);
      return found === null
        ? []
        : referencesOf(found.step, language).map(({ root, path }) => [root, ...path].join('.'));
    };
    expect(names('first')).toEqual(['inputs.q', 'inputs.q', 'run.id']);
    expect(names('last')).toEqual(['steps.second.output', 'steps.first.status']);
  });
});

describe('variables', () => {
  const defined = definition({ inputs, steps });

  it('hold every declared input and every step, null where there is no value', () => {
    const variables = pipelineVariables(defined, {
      inputs: {},
      run: { id: 'r' },
      steps: new Map([['first', { status: 'succeeded', output: 'x' }]]),
    });
    expect(variables).toEqual({
      inputs: { q: null },
      run: { id: 'r' },
      steps: {
        last: { status: 'pending', output: null },
        first: { status: 'succeeded', output: 'x' },
        second: { status: 'pending', output: null },
        each: { status: 'pending', output: null },
        inner: { status: 'pending', output: null },
      },
    });
  });

  it('of a tool hold every declared argument', () => {
    const sources = { args: { a: 1 }, declared: ['a', 'b'], inputs: { q: 'x' }, run: null, secrets: {} };
    expect(toolVariables(defined, sources)).toMatchObject({ args: { a: 1, b: null }, inputs: { q: 'x' } });
  });
});
