import { PIPELINE_LIMITS } from '../pipeline-limits.js';
import type { ReadPipeline } from '../read/read-pipeline.js';
import type { Reading } from '../read/reading.js';
import { everyNode } from './step-graph.js';

/** How many of each a document may have, and nothing twice where a list is a set. */
export function checkCounts(read: ReadPipeline, reading: Reading): void {
  const counts: readonly (readonly ['steps' | 'agents' | 'tools' | 'inputs', number])[] = [
    ['steps', [...everyNode(read.nodes)].length],
    ['agents', read.names.agents?.length ?? 0],
    ['tools', read.names.tools?.length ?? 0],
    ['inputs', read.names.inputs?.length ?? 0],
  ];
  for (const [key, count] of counts) {
    const limit = PIPELINE_LIMITS[key];
    if (count <= limit) continue;
    reading.fault([key], {
      code: 'too_many',
      found: `${count} ${key}`,
      expected: `at most ${limit}`,
      hint: 'split the pipeline into child pipelines',
    });
  }
  for (const agent of read.definition.agents.values()) {
    const seen = new Set<string>();
    for (const [index, tool] of agent.tools.entries()) {
      if (seen.has(tool)) {
        reading.fault(['agents', agent.name, 'tools', index], {
          code: 'duplicate_tool',
          found: `"${tool}" again`,
          expected: 'each tool once',
        });
      }
      seen.add(tool);
    }
  }
}
