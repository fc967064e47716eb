import { parsePipeline } from './parse-pipeline.js';
import { PIPELINE_LIMITS } from './pipeline-limits.js';
import type { PipelineFacts } from './pipeline-facts.js';
import { pipelineFixture, soundFacts } from './testing/sound-facts.js';

const sample = () => pipelineFixture('design-sample.yml');

function accepted(document: unknown, overrides: Partial<PipelineFacts> = {}) {
  const parsed = parsePipeline(document, { ...soundFacts, ...overrides });
  if (!parsed.ok) throw new Error(parsed.errors.map((error) => error.detail).join('\n'));
  return parsed;
}

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

describe('a sound document', () => {
  it('is read whole: the sample of the design', () => {
    const { definition, notes } = accepted(sample());
    expect(notes).toEqual([]);
    expect(definition).toMatchObject({
      name: 'support-chat',
      onBusy: 'enqueue',
      timeoutMs: 1_800_000,
      spendLimit: { tokens: 200_000, costUsd: 0.5, toolCalls: 60, onExceeded: 'pause' },
      concurrency: { key: '${inputs.customer_id}', limit: 2 },
      defaults: {
        model: 'openai:gpt-4.1-mini',
        timeoutMs: 300_000,
        retry: { maxAttempts: 3, backoffMs: 2_000, maxBackoffMs: 60_000, jitter: true },
      },
      context: { preset: 'chat' },
      output: '${steps.answer.output}',
    });
    expect(definition.steps.map((step) => [step.id, step.kind, step.join, step.dependsOn])).toEqual([
      ['route', 'agent', 'all', []],
      ['retrieve', 'agent', 'all', ['route']],
      ['answer', 'agent', 'any', ['route', 'retrieve']],
    ]);
    expect(definition.steps[1]?.when).toBe('steps.route.output.intent == "question"');
    expect(definition.tools.get('search_docs')).toMatchObject({
      kind: 'http',
      method: 'GET',
      effect: 'read_only',
      timeoutMs: 20_000,
      requiresApproval: false,
    });
    expect(definition.agents.get('researcher')).toMatchObject({
      maxTurns: 30,
      onMaxTurns: 'answer',
      maxToolCallsPerTurn: 10,
      fallbackModels: ['openai:gpt-4.1'],
    });
    expect(definition.agents.get('chat')).toMatchObject({
      maxTurns: 100,
      onMaxTurns: 'answer',
      maxToolCallsPerTurn: null,
    });
    expect(definition.inputs.get('user_message')).toMatchObject({ type: 'string', required: true, maxLength: 20_000 });
  });

  it('is read with every kind of step', () => {
    const steps = [
      { id: 'split', transform: { parts: '${[1, 2, inputs.q]}' } },
      {
        id: 'each',
        depends_on: ['split'],
        for_each: '${steps.split.output.parts}',
        do: {
          steps: [
            {
              id: 'one',
              agent: 'chat',
              task: [
                { type: 'text', text: '${item} of ${item_index}' },
                { type: 'image', url: '${inputs.q}' },
              ],
            },
            { id: 'two', depends_on: ['one'], transform: '${steps.one.output + steps.split.status}' },
          ],
          output: '${steps.two.output}',
        },
        max_parallel: 4,
        on_item_failure: 'collect',
      },
      {
        id: 'again',
        depends_on: ['each'],
        repeat: true,
        do: { steps: [{ id: 'draft', agent: 'chat', task: '${last.draft}' }] },
        until: 'steps.draft.output == "good" || last.draft != null',
        max_iterations: 3,
      },
      { id: 'child', depends_on: ['again'], pipeline: 'other@3', inputs: { x: '${steps.again.output}' } },
      {
        id: 'ask',
        depends_on: ['child'],
        approval: { prompt: 'ok ${inputs.q}?', timeout: '1h' },
        on_error: { goto: 'sorry' },
      },
      { id: 'hook', depends_on: ['ask'], wait_for: { signal: 'paid', key: '${inputs.q}' } },
      { id: 'nap', depends_on: ['hook'], sleep: '5m' },
      { id: 'until', depends_on: ['hook'], sleep: '2027-01-01T09:00:00+01:00' },
      { id: 'sorry', transform: '${steps.ask.status}', on_error: 'continue' },
    ];
    const { definition } = accepted(document({ steps, output: '${steps.nap.status}' }));
    expect(definition.steps.map((step) => step.kind)).toEqual([
      'transform',
      'for_each',
      'repeat',
      'pipeline',
      'approval',
      'wait_for',
      'sleep',
      'sleep',
      'transform',
    ]);
    expect(definition.steps[3]).toMatchObject({ pipeline: 'other', version: 3, streamId: null });
    expect(definition.steps[4]).toMatchObject({
      approvalTimeoutMs: 3_600_000,
      onTimeout: 'deny',
      onError: { action: 'goto', stepId: 'sorry' },
    });
    expect(definition.steps[7]).toMatchObject({ sleep: { type: 'until' } });
  });

  it('is read with every kind of tool', () => {
    const tools = {
      look: {
        kind: 'http',
        method: 'POST',
        url: 'https://x',
        headers: { authorization: 'Bearer ${secrets.key}' },
        body: { q: '${args.q}' },
      },
      read_file: { kind: 'mcp', server: 'files' },
      remote: { kind: 'mcp', url: 'https://mcp.example/mcp', headers: { a: '${secrets.b}' }, tool: 'other' },
      now: { kind: 'builtin' },
      child: { kind: 'pipeline', pipeline: 'other', parameters: { type: 'object' } },
      recorded: { kind: 'replay', recording: 'r1' },
    };
    const { definition } = accepted(document({ tools }));
    expect([...definition.tools.values()].map((tool) => [tool.kind, tool.effect])).toEqual([
      ['http', 'non_idempotent'],
      ['mcp', null],
      ['mcp', null],
      ['builtin', null],
      ['pipeline', 'non_idempotent'],
      ['replay', 'read_only'],
    ]);
    expect(definition.tools.get('remote')).toMatchObject({ remoteName: 'other', server: { from: 'url' } });
  });

  it('may be as long as the limit, each step reading the one before', () => {
    const steps = Array.from({ length: PIPELINE_LIMITS.steps }, (_, index) =>
      index === 0
        ? { id: 's0', transform: 1 }
        : { id: `s${index}`, depends_on: [`s${index - 1}`], transform: `\${steps.s${index - 1}.output}` },
    );
    expect(accepted(document({ steps, output: '${steps.s0.output}' })).definition.steps).toHaveLength(500);
  });

  it('may have its condition in braces or as a plain value', () => {
    const steps = [
      { id: 'a', transform: 1, when: '${ inputs.q == "x" }' },
      { id: 'b', transform: 1, when: true },
    ];
    expect(accepted(document({ steps, output: null })).definition.steps.map((step) => step.when)).toEqual([
      'inputs.q == "x"',
      'true',
    ]);
  });

  it('gets notes for limits that this build does not enforce', () => {
    const { notes } = accepted(sample(), { missingFeatures: ['spend_limit', 'concurrency', 'fallback_models'] });
    expect(notes.map((note) => note.path)).toEqual(['spend_limit', 'concurrency', 'agents.researcher.fallback_models']);
  });
});
