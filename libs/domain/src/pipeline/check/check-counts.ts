import type { AgentDefinition } from '../pipeline-definition.js';
import { PIPELINE_LIMITS } from '../pipeline-limits.js';
import type { ReadPipeline } from '../read/read-pipeline.js';
import type { Reading } from '../read/reading.js';
import { everyNode } from './step-graph.js';

/** How many of each a document may have, and nothing twice where a list is a set. False when there are too many. */
export function checkCounts(read: ReadPipeline, reading: Reading): boolean {
  const counts: readonly (readonly ['steps' | 'agents' | 'tools' | 'inputs', number])[] = [
    ['steps', [...everyNode(read.nodes)].length],
    ['agents', read.names.agents?.length ?? 0],
    ['tools', read.names.tools?.length ?? 0],
    ['inputs', read.names.inputs?.length ?? 0],
  ];
  const tooMany = counts.filter(([key, count]) => count > PIPELINE_LIMITS[key]);
  for (const [key, count] of tooMany) {
    const limit = PIPELINE_LIMITS[key];
    reading.fault([key], {
      code: 'too_many',
      found: `${count} ${key}`,
      expected: `at most ${limit}`,
      hint: 'split the pipeline into child pipelines',
    });
  }
  for (const agent of read.definition.agents.values()) checkDistinctTools(agent, reading);
  return tooMany.length === 0;
}

function checkDistinctTools(agent: AgentDefinition, reading: Reading): void {
  const seen = new Set<string>();
  for (const [index, tool] of agent.tools.entries()) {
    const words = { code: 'duplicate_tool', found: `"${tool}" again`, expected: 'each tool once' };
    if (seen.has(tool)) reading.fault(['agents', agent.name, 'tools', index], words);
    seen.add(tool);
  }
}
