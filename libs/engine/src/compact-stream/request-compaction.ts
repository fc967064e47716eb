import type { CompactionProposal } from '#libs/context';
import type { AgentContext } from '../agent/agent-context.js';

/** placeholder types while the compaction use case is being written */
export async function requestCompaction(_context: AgentContext, _proposal: CompactionProposal): Promise<string | null> {
  return Promise.resolve(null);
}
export async function extractCompaction(_context: AgentContext, _proposal: CompactionProposal): Promise<void> {
  return Promise.resolve();
}
