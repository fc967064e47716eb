import { effectiveStep } from '../effective-step.js';
import { describeValue, oneOf, type FaultPath } from '../fault-writer.js';
import { parseModelReference } from '../names.js';
import type { PipelineFacts } from '../pipeline-facts.js';
import type { Reading } from '../read/reading.js';
import type { ReadPipeline } from '../read/read-pipeline.js';
import type { ToolDefinition } from '../tool-definition.js';
import { everyNode } from './step-graph.js';

/** Agents, tools, models, connections, servers, plugins: everything that is named and must exist. */
export function checkNames(read: ReadPipeline, reading: Reading, facts: PipelineFacts): void {
  const tools = read.names.tools === null ? null : [...new Set([...read.names.tools, ...facts.builtinTools])];
  for (const node of everyNode(read.nodes)) {
    if (node.agent !== null) known(reading, [...node.path, 'agent'], 'unknown_agent', node.agent, read.names.agents);
  }
  for (const [path, tool] of toolUses(read)) known(reading, path, 'unknown_tool', tool, tools);
  for (const [path, tool] of stepTools(read)) checkIsNoPipeline(path, tool, read, reading);
  for (const tool of read.definition.tools.values()) checkToolTarget(tool, reading, facts);
  for (const { path, name } of reading.models) checkModel(path, name, reading, facts);
  checkAgentsHaveModels(read, reading, facts);
}

/** Nothing is said when the names are not known. */
function known(reading: Reading, path: FaultPath, code: string, name: string, names: readonly string[] | null): void {
  if (names === null || names.includes(name)) return;
  reading.fault(path, {
    code,
    found: describeValue(name),
    expected: oneOf(names),
    similar: { to: name, among: names },
  });
}

function toolUses(read: ReadPipeline): readonly (readonly [FaultPath, string])[] {
  const ofAgents = [...read.definition.agents.values()].flatMap((agent) =>
    agent.tools.map((tool, index): [FaultPath, string] => [['agents', agent.name, 'tools', index], tool]),
  );
  return [...stepTools(read), ...ofAgents];
}

function stepTools(read: ReadPipeline): readonly (readonly [FaultPath, string])[] {
  return [...everyNode(read.nodes)].flatMap((node): [FaultPath, string][] =>
    node.tool === null ? [] : [[[...node.path, 'tool'], node.tool]],
  );
}

/** A step starts a run by itself; what a tool adds (a declaration, arguments by a model) only agents need. */
function checkIsNoPipeline(path: FaultPath, name: string, read: ReadPipeline, reading: Reading): void {
  const tool = read.definition.tools.get(name);
  if (tool?.kind !== 'pipeline') return;
  reading.fault(path, {
    code: 'pipeline_as_step_tool',
    found: `${describeValue(name)}, a tool that is a pipeline: only agents call these`,
    expected: `a step with \`pipeline: ${tool.pipeline}\` and \`inputs\``,
  });
}

function checkToolTarget(tool: ToolDefinition, reading: Reading, facts: PipelineFacts): void {
  const path = ['tools', tool.name];
  switch (tool.kind) {
    case 'builtin':
      return known(reading, [...path, 'builtin'], 'unknown_builtin', tool.builtin, facts.builtinTools);
    case 'plugin':
      return known(reading, [...path, 'plugin'], 'unknown_plugin', tool.plugin, facts.plugins);
    case 'mcp':
      if (tool.server.from === 'url') return;
      return known(reading, [...path, 'server'], 'unknown_mcp_server', tool.server.name, facts.mcpServers);
    case 'http':
    case 'pipeline':
    case 'replay':
      return;
  }
}

function checkModel(path: FaultPath, name: string, reading: Reading, facts: PipelineFacts): void {
  const reference = parseModelReference(name);
  if (reference === null) {
    const expected = 'connection:model, for instance "openai:gpt-4.1-mini" or "builtin:extractive"';
    reading.fault(path, { code: 'bad_model', found: describeValue(name), expected });
    return;
  }
  if (reference.connection === 'builtin' && reference.model !== 'extractive') {
    reading.fault(path, { code: 'bad_model', found: describeValue(name), expected: 'builtin:extractive' });
    return;
  }
  if (facts.connections === null || ['builtin', 'replay'].includes(reference.connection)) return;
  if (facts.connections.includes(reference.connection)) return;
  reading.fault(path, {
    code: 'unknown_connection',
    found: `the connection ${describeValue(reference.connection)}`,
    expected: oneOf([...facts.connections, 'builtin', 'replay']),
    similar: { to: reference.connection, among: facts.connections },
    hint: 'connections are set up by the operator in weir.yml',
  });
}

function checkAgentsHaveModels(read: ReadPipeline, reading: Reading, facts: PipelineFacts): void {
  if (facts.defaultModel !== null) return;
  for (const node of everyNode(read.nodes)) {
    if (node.kind !== 'agent' || node.id === null) continue;
    const effective = effectiveStep(read.definition, node.id);
    if (effective === null || effective.agent === null || effective.model !== null) continue;
    const expected = `a model on the step, on agents.${effective.agent.name}, or in defaults`;
    reading.fault(node.path, { code: 'model_missing', found: 'no model', expected });
  }
}
