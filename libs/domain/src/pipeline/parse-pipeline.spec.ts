import { readFileSync } from 'node:fs';
import { celExpressions } from '#libs/expressions';
import { parse } from 'yaml';
import { parsePipeline } from './parse-pipeline.js';
import type { PipelineFacts } from './pipeline-facts.js';
import { STEP_KINDS } from './pipeline-step.js';
import { BUILTIN_TOOL_NAMES, TOOL_KINDS } from './tool-definition.js';

const facts: PipelineFacts = {
  expressions: celExpressions(),
  executableStepKinds: STEP_KINDS,
  executableToolKinds: TOOL_KINDS,
  missingFeatures: [],
  builtinTools: BUILTIN_TOOL_NAMES,
  connections: ['openai', 'anthropic'],
  defaultModel: null,
  plugins: [],
  mcpServers: ['files'],
  checkContextPolicy: (value) =>
    JSON.stringify(value).includes('"soft_cap_chars":0')
      ? [{ path: 'window.soft_cap_chars', code: 'out_of_range', found: '0', expected: 'more than 0', detail: 'found 0' }]
      : [],
};

const sample = (): Record<string, unknown> => parse(readFileSync('test/fixtures/pipelines/design-sample.yml', 'utf8'));

function accepted(document: unknown, overrides: Partial<PipelineFacts> = {}) {
  const parsed = parsePipeline(document, { ...facts, ...overrides });
  if (!parsed.ok) throw new Error(parsed.errors.map((error) => error.detail).join('\n'));
  return parsed;
}

function faultsOf(document: unknown, overrides: Partial<PipelineFacts> = {}): string[] {
  const parsed = parsePipeline(document, { ...facts, ...overrides });
  return parsed.ok ? [] : parsed.errors.map((error) => `${error.path}: ${error.code}`);
}

/** A small sound document, some of its keys replaced. */
function document(changes: Record<string, unknown> = {}) {
  return {
    name: 'p',
    inputs: { q: { type: 'string' } },
    agents: { chat: { model: 'builtin:extractive' } },
    tools: { look: { kind: 'http', url: 'https://x.example/${args.q}', parameters: { type: 'object', properties: { q: { type: 'string' } } } } },
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
      defaults: { model: 'openai:gpt-4.1-mini', timeoutMs: 300_000, retry: { maxAttempts: 3, backoffMs: 2_000, maxBackoffMs: 60_000, jitter: true } },
      context: { preset: 'chat' },
      output: '${steps.answer.output}',
    });
    expect(definition.steps.map((step) => [step.id, step.kind, step.join, step.dependsOn])).toEqual([
      ['route', 'agent', 'all', []],
      ['retrieve', 'agent', 'all', ['route']],
      ['answer', 'agent', 'any', ['route', 'retrieve']],
    ]);
    expect(definition.steps[1]?.when).toBe('steps.route.output.intent == "question"');
    expect(definition.tools.get('search_docs')).toMatchObject({ kind: 'http', method: 'GET', effect: 'read_only', timeoutMs: 20_000, requiresApproval: false });
    expect(definition.agents.get('researcher')).toMatchObject({ maxTurns: 30, onMaxTurns: 'answer', maxToolCallsPerTurn: 10, fallbackModels: ['openai:gpt-4.1'] });
    expect(definition.agents.get('chat')).toMatchObject({ maxTurns: 100, onMaxTurns: 'answer', maxToolCallsPerTurn: null });
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
            { id: 'one', agent: 'chat', task: [{ type: 'text', text: '${item} of ${item_index}' }, { type: 'image', url: '${inputs.q}' }] },
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
      { id: 'ask', depends_on: ['child'], approval: { prompt: 'ok ${inputs.q}?', timeout: '1h' }, on_error: { goto: 'sorry' } },
      { id: 'hook', depends_on: ['ask'], wait_for: { signal: 'paid', key: '${inputs.q}' } },
      { id: 'nap', depends_on: ['hook'], sleep: '5m' },
      { id: 'until', depends_on: ['hook'], sleep: '2027-01-01T09:00:00+01:00' },
      { id: 'sorry', transform: '${steps.ask.status}', on_error: 'continue' },
    ];
    const { definition } = accepted(document({ steps, output: '${steps.nap.status}' }));
    expect(definition.steps.map((step) => step.kind)).toEqual(['transform', 'for_each', 'repeat', 'pipeline', 'approval', 'wait_for', 'sleep', 'sleep', 'transform']);
    expect(definition.steps[3]).toMatchObject({ pipeline: 'other', version: 3, streamId: null });
    expect(definition.steps[4]).toMatchObject({ approvalTimeoutMs: 3_600_000, onTimeout: 'deny', onError: { action: 'goto', stepId: 'sorry' } });
    expect(definition.steps[7]).toMatchObject({ sleep: { type: 'until' } });
  });

  it('is read with every kind of tool', () => {
    const tools = {
      look: { kind: 'http', method: 'POST', url: 'https://x', headers: { authorization: 'Bearer ${secrets.key}' }, body: { q: '${args.q}' } },
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

  it('may have its condition in braces or as a plain value', () => {
    const steps = [
      { id: 'a', transform: 1, when: '${ inputs.q == "x" }' },
      { id: 'b', transform: 1, when: true },
    ];
    expect(accepted(document({ steps, output: null })).definition.steps.map((step) => step.when)).toEqual(['inputs.q == "x"', 'true']);
  });

  it('gets a note when no context policy is set', () => {
    expect(accepted(document()).notes.map((note) => note.code)).toEqual(['context_defaults']);
    expect(accepted(document({ context: { preset: 'chat' } })).notes).toEqual([]);
    expect(accepted(document({ steps: [{ id: 'a', transform: 1 }], output: 1 })).notes).toEqual([]);
  });

  it('gets notes for limits that this build does not enforce', () => {
    const { notes } = accepted(sample(), { missingFeatures: ['spend_limit', 'concurrency', 'fallback_models'] });
    expect(notes.map((note) => note.path)).toEqual(['spend_limit', 'concurrency', 'agents.researcher.fallback_models']);
  });
});

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
    const parsed = parsePipeline(document({ timeout: 300, stepz: [] }), facts);
    expect(parsed.ok ? [] : parsed.errors).toEqual([
      {
        path: 'timeout',
        code: 'wrong_type',
        found: '300',
        expected: 'a duration with its unit: "300s" for seconds, "300ms" for milliseconds',
        detail: 'timeout: found 300, expected a duration with its unit: "300s" for seconds, "300ms" for milliseconds.',
      },
      expect.objectContaining({ path: 'stepz', code: 'unknown_key', detail: expect.stringContaining('did you mean "steps"?') }),
    ]);
  });

  const step = (changes: Record<string, unknown>) => document({ steps: [{ id: 'a', transform: 1, ...changes }], output: 1 });
  const agentStep = (changes: Record<string, unknown>) => document({ steps: [{ id: 'a', agent: 'chat', task: 'x', ...changes }], output: 1 });
  const tool = (changes: Record<string, unknown>) => document({ tools: { look: { kind: 'http', url: 'https://x', ...changes } } });
  const loop = (changes: Record<string, unknown>) => ({ id: 'l', for_each: [1], do: { steps: [{ id: 'i', transform: 1, ...changes }] } });

  it.each<[string, unknown, string]>([
    ['no object', 'x', ': wrong_type'],
    ['no steps', { name: 'p' }, 'steps: missing'],
    ['an empty list of steps', document({ steps: [], output: 1 }), 'steps: out_of_range'],
    ['a value that is no JSON', document({ tags: [new Date(0)] }), 'tags[0]: not_json'],
    ['half a surrogate pair', document({ description: '\ud800' }), 'description: not_well_formed'],
    ['null for a key', document({ timeout: null }), 'timeout: wrong_type'],
    ['an ISO duration', document({ timeout: 'PT5M' }), 'timeout: invalid_value'],
    ['a duration of a thousand years', document({ timeout: '365000d' }), 'timeout: out_of_range'],
    ['a timeout of zero', step({ timeout: '0s' }), 'steps[0].timeout: out_of_range'],
    ['two kinds', step({ tool: 'look' }), 'steps[0]: step_kind_ambiguous'],
    ['no kind', document({ steps: [{ id: 'a' }], output: 1 }), 'steps[0]: step_kind_missing'],
    ['a key of another kind', step({ args: {} }), 'steps[0].args: key_not_for_kind'],
    ['do on a transform, once', step({ do: { steps: [{ id: 'x', transform: 1 }] } }), 'steps[0].do: key_not_for_kind'],
    ['a step id with a hyphen', document({ steps: [{ id: 'find-it', transform: 1 }], output: 1 }), 'steps[0].id: invalid_value'],
    ['a step id that is a word of CEL', document({ steps: [{ id: 'in', transform: 1 }], output: 1 }), 'steps[0].id: bad_name'],
    ['a missing id', document({ steps: [{ transform: 1 }], output: 1 }), 'steps[0].id: missing'],
    ['an unknown dependency', step({ depends_on: ['b'] }), 'steps[0].depends_on[0]: unknown_step'],
    ['a dependency on itself', step({ depends_on: ['a'] }), 'steps[0].depends_on[0]: cycle'],
    ['join without depends_on', step({ join: 'any' }), 'steps[0].join: join_without_dependencies'],
    ['goto to nowhere', step({ on_error: { goto: 'b' } }), 'steps[0].on_error.goto: unknown_step'],
    ['goto to itself', step({ on_error: { goto: 'a' } }), 'steps[0].on_error.goto: cycle'],
    ['a word that on_error does not know', step({ on_error: 'ignore' }), 'steps[0].on_error: wrong_type'],
    ['a step that is not upstream', document({ steps: [{ id: 'a', transform: '${steps.b.output}' }, { id: 'b', transform: 1 }], output: 1 }), 'steps[0].transform: step_not_upstream'],
    ['a step of a body from outside', document({ steps: [loop({}), { id: 'z', depends_on: ['l'], transform: '${steps.i.output}' }], output: 1 }), 'steps[1].transform: step_not_reachable'],
    ['an output from inside a body', document({ steps: [loop({})], output: '${steps.i.output}' }), 'output: output_not_reachable'],
    ['a field of a step that is none', step({ when: 'steps.a' }), 'steps[0].when: step_not_upstream'],
    ['a step without its field', document({ output: '${steps.a.text}' }), 'output: unknown_step_field'],
    ['a computed step', document({ output: '${steps[inputs.q].output}' }), 'output: reference_not_static'],
    ['item outside a loop', step({ transform: '${item}' }), 'steps[0].transform: unknown_name'],
    ['last in a for_each', document({ steps: [loop({ transform: '${last}' })], output: 1 }), 'steps[0].do.steps[0].transform: unknown_name'],
    ['args in a step', step({ transform: '${args.q}' }), 'steps[0].transform: unknown_name'],
    ['an unknown field of run', step({ transform: '${run.idd}' }), 'steps[0].transform: unknown_name'],
    ['a secret in a step', step({ transform: ['${secrets.key}'] }), 'steps[0].transform[0]: secret_outside_tool'],
    ['a secret in a prompt', document({ agents: { chat: { model: 'builtin:extractive', system_prompt: '${secrets.key}' } } }), 'agents.chat.system_prompt: secret_outside_tool'],
    ['steps in a prompt', document({ agents: { chat: { model: 'builtin:extractive', system_prompt: '${steps.a.output}' } } }), 'agents.chat.system_prompt: unknown_name'],
    ['all secrets at once', tool({ headers: { a: '${secrets}' } }), 'tools.look.headers.a: reference_not_static'],
    ['an argument that is not declared', tool({ parameters: { type: 'object', properties: { q: {} } }, query: { q: '${args.p}' } }), 'tools.look.query.q: unknown_argument'],
    ['a condition that gives a number', step({ when: '1 + 1' }), 'steps[0].when: wrong_type'],
    ['a list that is a text', document({ steps: [{ ...loop({}), for_each: '${"a" + "b"}' }], output: 1 }), 'steps[0].for_each: wrong_type'],
    ['a list that is a number', document({ steps: [{ ...loop({}), for_each: 3 }], output: 1 }), 'steps[0].for_each: wrong_type'],
    ['a template without end', step({ transform: 'x ${inputs.q' }), 'steps[0].transform: bad_template'],
    ['a template in a key', step({ transform: { '${inputs.q}': 1 } }), 'steps[0].transform["${inputs.q}"]: template_in_key'],
    ['an expression without sense', step({ transform: '${1 +}' }), 'steps[0].transform: bad_expression'],
    ['an empty expression', step({ transform: '${}' }), 'steps[0].transform: bad_expression'],
    ['the environment', step({ transform: '${process.env.HOME}' }), 'steps[0].transform: bad_expression'],
    ['a backtracking pattern', step({ when: 'inputs.q.matches("(?=a)")' }), 'steps[0].when: bad_expression'],
    ['for_each in for_each', document({ steps: [{ id: 'o', for_each: [1], do: { steps: [loop({})] } }], output: 1 }), 'steps[0].do.steps[0].for_each: nested_too_deep'],
    ['an unknown tool', document({ steps: [{ id: 'a', tool: 'lok' }], output: 1 }), 'steps[0].tool: unknown_tool'],
    ['a tool name that providers refuse', document({ tools: { look: { kind: 'http', url: 'https://x' }, 'a b': { kind: 'http', url: 'https://x' } } }), 'tools["a b"]: bad_name'],
    ['a tool twice', document({ agents: { chat: { model: 'builtin:extractive', tools: ['now', 'now'] } } }), 'agents.chat.tools[1]: duplicate_tool'],
    ['a tool without address', document({ tools: { look: { kind: 'http' } } }), 'tools.look.url: missing'],
    ['a key of another kind of tool', tool({ recording: 'r' }), 'tools.look.recording: key_not_for_kind'],
    ['a body with GET', tool({ body: 'x' }), 'tools.look.body: key_not_for_kind'],
    ['an unknown MCP server', tool({ kind: 'mcp', url: undefined, server: 'filez' }), 'tools.look.server: unknown_mcp_server'],
    ['server and url', tool({ kind: 'mcp', server: 'files' }), 'tools.look.url: conflicting_keys'],
    ['a plugin that is not installed', tool({ kind: 'plugin', url: undefined }), 'tools.look.plugin: unknown_plugin'],
    ['a builtin that is none', tool({ kind: 'builtin', url: undefined }), 'tools.look.builtin: unknown_builtin'],
    ['parameters that are a list', tool({ parameters: { type: 'array' } }), 'tools.look.parameters.type: parameters_not_object'],
    ['a primary argument that is none', tool({ primary_argument: 'z', parameters: { type: 'object', properties: { q: {} } } }), 'tools.look.primary_argument: unknown_argument'],
    ['a model without connection', agentStep({ model: 'gpt-4' }), 'steps[0].model: bad_model'],
    ['an unknown builtin model', agentStep({ model: 'builtin:magic' }), 'steps[0].model: bad_model'],
    ['no model at all', document({ agents: { chat: {} } }), 'steps[0]: model_missing'],
    ['a task of parts with a fault inside', agentStep({ task: [{ type: 'image' }] }), 'steps[0].task[0]: conflicting_keys'],
    ['a task part of an unknown type', agentStep({ task: [{ type: 'video' }] }), 'steps[0].task[0].type: wrong_type'],
    ['a task that is a number', agentStep({ task: 4 }), 'steps[0].task: wrong_type'],
    ['parallel with an inheriting agent', document({ on_busy: 'parallel' }), 'steps[0].context: parallel_needs_fresh'],
    ['a context policy out of range, on the pipeline', document({ context: { window: { soft_cap_chars: 0 } } }), 'context.window.soft_cap_chars: out_of_range'],
    ['a context policy out of range, on a step', agentStep({ context: { window: { soft_cap_chars: 0 } } }), 'steps[0].context.window.soft_cap_chars: out_of_range'],
    ['a context policy out of range, on an agent', document({ agents: { chat: { model: 'builtin:extractive', context: { window: { soft_cap_chars: 0 } } } } }), 'agents.chat.context.window.soft_cap_chars: out_of_range'],
    ['a context that is a word', document({ context: 'chat' }), 'context: wrong_type'],
    ['a maximum below the first back-off', step({ retry: { backoff: '2m', max_backoff: '1m' } }), 'steps[0].retry.max_backoff: out_of_range'],
    ['no attempt', step({ retry: { max_attempts: 0 } }), 'steps[0].retry.max_attempts: out_of_range'],
    ['an input name with a hyphen', document({ inputs: { q: { type: 'string' }, 'a-b': { type: 'string' } } }), 'inputs.a-b: bad_name'],
    ['an input without type', document({ inputs: { q: {} } }), 'inputs.q.type: missing'],
    ['a length of a number', document({ inputs: { q: { type: 'number', max_length: 3 } } }), 'inputs.q.max_length: key_not_for_type'],
    ['a minimum above the maximum', document({ inputs: { q: { type: 'number', min: 3, max: 2 } } }), 'inputs.q.max: out_of_range'],
    ['a default outside the choices', document({ inputs: { q: { type: 'string', enum: ['a'], default: 'b' } } }), 'inputs.q.default: not_in_enum'],
    ['a choice of the wrong type', document({ inputs: { q: { type: 'string', enum: [1] } } }), 'inputs.q.enum[0]: wrong_type'],
    ['a spend limit without a limit', document({ spend_limit: { on_exceeded: 'fail' } }), 'spend_limit: missing'],
    ['a concurrency key over steps', document({ concurrency: { key: '${steps.a.output}', limit: 1 } }), 'concurrency.key: unknown_name'],
    ['a sleep that is neither', document({ steps: [{ id: 'a', sleep: 'soon' }], output: 1 }), 'steps[0].sleep: invalid_value'],
    ['a child pipeline with a bad version', document({ steps: [{ id: 'a', pipeline: 'x@latest' }], output: 1 }), 'steps[0].pipeline: bad_name'],
    ['an approval without prompt', document({ steps: [{ id: 'a', approval: {} }], output: 1 }), 'steps[0].approval.prompt: missing'],
    ['a loop without end', document({ steps: [{ id: 'a', repeat: true, do: { steps: [{ id: 'b', transform: 1 }] }, max_iterations: 2 }], output: 1 }), 'steps[0].until: missing'],
  ])('%s is one fault', (_name, value, expected) => {
    expect(faultsOf(value)).toEqual([expected]);
  });

  it('reports kinds and features that the build does not have', () => {
    const kinds = { executableStepKinds: ['agent'] as const, executableToolKinds: ['builtin'] as const };
    expect(faultsOf(document(), kinds)).toEqual(['steps[1].tool: step_kind_not_available', 'tools.look.kind: tool_kind_not_available']);
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
    expect(faultsOf(document({ agents: { chat: { model: 'azure:gpt' } }, tools: { look: { kind: 'plugin' } } }), unknown)).toEqual([]);
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

  it('counts the rest of a very long list of faults', () => {
    const steps = Array.from({ length: 400 }, (_, index) => ({ id: `s${index}` }));
    const faults = faultsOf(document({ steps, output: 1 }));
    expect(faults).toHaveLength(201);
    expect(faults.at(-1)).toBe(': too_many_faults');
  });
});
