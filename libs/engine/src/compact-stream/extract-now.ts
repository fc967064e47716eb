import type { CompactionProposal } from '#libs/context';
import type { AgentContext } from '../agent/agent-context.js';
import { readSource } from './read-source.js';
import { requestCompaction } from './request-compaction.js';
import { settleCompaction } from './settle-compaction.js';
import { extract } from './summarise.js';

/**
 * The first rung of the ladder: the extractive summary of the proposed range, made by the step itself, now. It goes through
 * the same request, claim, checks and events as any compaction; a later model summary supersedes it.
 */
export async function extractNow(context: AgentContext, proposal: CompactionProposal): Promise<void> {
  const { deps, run } = context.execution;
  const compactionId = await requestCompaction(context, proposal, { dispatch: false });
  if (compactionId === null) return;
  const requested = await deps.compactions.getCompaction(run.projectId, compactionId);
  if (requested === null || requested.status !== 'requested') return;
  const { workerId, leaseMs } = deps.settings;
  const record = await deps.compactions.claimCompaction({
    compactionId,
    dispatchNo: requested.dispatchNo,
    workerId,
    leaseMs,
  });
  if (record === null) return;
  const source = await readSource(deps, record);
  await settleCompaction(deps, { record, source, result: extract(record, source) });
}
