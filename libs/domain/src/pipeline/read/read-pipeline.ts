import type { JsonObject } from '../../json.js';
import { describeValue } from '../fault-writer.js';
import { isJsonObject } from '../json-object.js';
import { PIPELINE_NAME_PATTERN, PIPELINE_NAME_WORDS } from '../names.js';
import type { AgentDefinition, ConcurrencyRule, PipelineDefinition, SpendLimit } from '../pipeline-definition.js';
import { DEFAULT_RUN_TIMEOUT_MS } from '../pipeline-limits.js';
import type { ToolDefinition } from '../tool-definition.js';
import { Fields } from './fields.js';
import { readAgent, readContext, readModel } from './read-agent.js';
import { readInputs } from './read-inputs.js';
import { readRetry } from './read-retry.js';
import { readSteps } from './read-step.js';
import { readTool } from './read-tool.js';
import type { Reading, StepNode } from './reading.js';

export type ReadPipeline = {
  /** Whole only when nothing is wrong; parts that could not be read are left out. */
  readonly definition: PipelineDefinition;
  readonly nodes: readonly StepNode[];
  /** As written, null where the block is no object: then nothing can be said about names in it. */
  readonly names: {
    readonly agents: readonly string[] | null;
    readonly tools: readonly string[] | null;
    readonly inputs: readonly string[] | null;
  };
};

export function readPipeline(document: JsonObject, reading: Reading): ReadPipeline {
  const fields = new Fields(document, [], reading, { at: 'output' });
  checkName(fields);
  const { nodes, steps } = readSteps(fields.raw('steps'), ['steps'], null, reading);
  const definition: PipelineDefinition = {
    name: fields.text('name') ?? '',
    description: fields.text('description'),
    inputs: readInputs(fields),
    defaults: readDefaults(fields),
    context: readContext(fields, 'pipeline'),
    agents: readAgents(fields),
    tools: readTools(document, reading),
    steps,
    output: fields.has('output') ? fields.template('output') : null,
    onBusy: fields.choice('on_busy', ['enqueue', 'reject', 'interrupt', 'parallel'], 'enqueue'),
    spendLimit: readSpendLimit(fields),
    concurrency: readConcurrency(fields),
    timeoutMs: fields.durationMs('timeout', 1) ?? DEFAULT_RUN_TIMEOUT_MS,
    tags: fields.texts('tags') ?? [],
  };
  const names = {
    agents: namesIn(fields, 'agents'),
    tools: namesIn(fields, 'tools'),
    inputs: namesIn(fields, 'inputs'),
  };
  return { definition, nodes, names };
}

function checkName(fields: Fields): void {
  const name = fields.text('name');
  if (name === null || PIPELINE_NAME_PATTERN.test(name)) return;
  fields.reading.fault(['name'], { code: 'bad_name', found: describeValue(name), expected: PIPELINE_NAME_WORDS });
}

function namesIn(fields: Fields, key: string): readonly string[] | null {
  if (!fields.has(key)) return [];
  const block = fields.jsonObject(key);
  return block === null ? null : Object.keys(block);
}

function readDefaults(fields: Fields): PipelineDefinition['defaults'] {
  const defaults = fields.child('defaults');
  if (defaults === null) return { model: null, timeoutMs: null, retry: null };
  return {
    model: readModel(defaults),
    timeoutMs: defaults.durationMs('timeout', 1),
    retry: readRetry(defaults.child('retry')),
  };
}

function readAgents(fields: Fields): ReadonlyMap<string, AgentDefinition> {
  const inAgent = fields.in({ at: 'agent' });
  return new Map(inAgent.children('agents').map(([name, agent]) => [name, readAgent(name, agent)]));
}

function readTools(document: JsonObject, reading: Reading): ReadonlyMap<string, ToolDefinition> {
  const tools = document['tools'];
  const entries = isJsonObject(tools) ? Object.entries(tools) : [];
  return new Map(
    entries.flatMap(([name, tool]): [string, ToolDefinition][] => {
      const definition = isJsonObject(tool) ? readTool(name, tool, ['tools', name], reading) : null;
      return definition === null ? [] : [[name, definition]];
    }),
  );
}

function readSpendLimit(fields: Fields): SpendLimit | null {
  const limit = fields.child('spend_limit');
  if (limit === null) return null;
  const read = {
    tokens: limit.number('tokens'),
    costUsd: limit.number('cost_usd'),
    toolCalls: limit.number('tool_calls'),
    onExceeded: limit.choice('on_exceeded', ['pause', 'fail'], 'pause'),
  };
  if (!['tokens', 'cost_usd', 'tool_calls'].some((key) => limit.has(key))) {
    fields.reading.fault(limit.path, {
      code: 'missing',
      found: 'no limit',
      expected: 'at least one of tokens, cost_usd, tool_calls',
    });
  }
  return read;
}

function readConcurrency(fields: Fields): ConcurrencyRule | null {
  const rule = fields.child('concurrency', { at: 'concurrency' });
  const key = rule?.templateText('key') ?? null;
  const limit = rule?.number('limit') ?? null;
  return key === null || limit === null ? null : { key, limit };
}
