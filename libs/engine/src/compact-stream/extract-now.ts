import type { CompactionProposal } from '#libs/context';
import type { AgentContext } from '../agent/agent-context.js';
import type { NewCompaction } from '../ports/compaction-store.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { compactionEnd } from './compaction-end.js';
import { readRange, readSource } from './read-source.js';
import { isStillOurs, newCompaction, requestedEvent } from './request-compaction.js';
import { attemptOf, compactionEvent, patchOf, withAttempt } from './settle-compaction.js';
import { extract, type Settled } from './summarise.js';

type Extracted = { compaction: NewCompaction; proposal: CompactionProposal; result: Settled };

/**
 * The first rung of the ladder: the extractive summary of the proposed range, made by the step itself, in one transaction
 * from request to end. It is never open, so it does not wait for a compactor that is slow or gone; the summary of that one
 * supersedes it when it still comes.
 */
export async function extractNow(context: AgentContext, proposal: CompactionProposal): Promise<void> {
  const { deps, held } = context.execution;
  const compaction = newCompaction(context, proposal, deps.newId('cmp'));
  const source = await readSource(deps, compaction);
  const result = extract(compaction, source);
  const isOurs = await deps.runs.transact((tx) => write(tx, context, { compaction, proposal, result }));
  if (!isOurs) held.stop('fenced');
}

async function write(tx: RunTransaction, context: AgentContext, extracted: Extracted): Promise<boolean> {
  const { compaction, proposal, result } = extracted;
  const { projectId, compactionId, streamId } = compaction;
  const { deps } = context.execution;
  if (!(await isStillOurs(tx, context))) return false;
  await tx.insertCompaction({ ...compaction, status: 'skipped' });
  await tx.lockStreams(projectId, [streamId]);
  const end = compactionEnd({ ...compaction, attempt: 1 }, result, await readRange(tx, compaction));
  const appended = [requestedEvent(context, proposal, compactionId), compactionEvent(deps, compaction, end)];
  await tx.append([{ projectId, streamId, events: appended }]);
  const begun = { attempts: [], attempt: 1, requestedAt: deps.now().toISOString() };
  const attempts = withAttempt(deps, begun, attemptOf(result, end));
  await tx.updateCompaction(projectId, compactionId, { ...patchOf(end), ended: true, attempts });
  return true;
}
