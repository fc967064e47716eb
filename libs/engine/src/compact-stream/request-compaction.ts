import type { CompactionProposal } from '#libs/context';
import type { NewEvent } from '#libs/domain';
import type { AgentContext } from '../agent/agent-context.js';
import { dispatchCompactions } from '../dispatch/relay-compactions.js';
import type { NewCompaction } from '../ports/compaction-store.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';

/**
 * Asks for a compaction: its row and `CompactionRequested` in one transaction, then one job. Returns the id of the open
 * compaction of the view, which is another one's when somebody was faster; null: the step is no longer ours.
 */
export async function requestCompaction(context: AgentContext, proposal: CompactionProposal): Promise<string | null> {
  const { deps, run, held } = context.execution;
  const compactionId = deps.newId('cmp');
  const asked = await deps.runs.transact((tx) => ask(tx, context, proposal, compactionId));
  if (asked === null) held.stop('fenced');
  if (asked !== compactionId) return asked;
  deps.logger.info(
    { ...context.logFields, compaction_id: compactionId, reason: proposal.reason },
    'compaction requested',
  );
  await dispatchCompactions(deps, run.projectId, [compactionId]);
  return compactionId;
}

async function ask(
  tx: RunTransaction,
  context: AgentContext,
  proposal: CompactionProposal,
  compactionId: string,
): Promise<string | null> {
  const { run } = context.execution;
  const { subStream: streamId } = context.begun;
  if (!(await isStillOurs(tx, context))) return null;
  const inserted = await tx.insertCompaction(newCompaction(context, proposal, compactionId));
  if (!inserted) return tx.openCompaction(run.projectId, streamId, proposal.viewRunId);
  const event = requestedEvent(context, proposal, compactionId);
  await tx.append([{ projectId: run.projectId, streamId, events: [event] }]);
  return compactionId;
}

/** Locks the step and compares the fence: what a step asks for is written only while it holds its step. */
export async function isStillOurs(tx: RunTransaction, context: AgentContext): Promise<boolean> {
  const { run, row, held } = context.execution;
  const locked = await tx.lockStepRun(run.projectId, row.stepRunId);
  return locked !== null && locked.fence === held.fence && locked.status === 'running';
}

export function requestedEvent(context: AgentContext, proposal: CompactionProposal, compactionId: string): NewEvent {
  return context.event('CompactionRequested', [compactionId], {
    compaction_id: compactionId,
    view_run_id: proposal.viewRunId,
    cutoff_seq: proposal.cutoffSeq,
    range: [...proposal.range],
    entries: [...proposal.entries],
    supersedes: proposal.supersedes,
    reason: proposal.reason,
    policy_hash: context.plan.policyHash,
    manifest: context.plan.manifestHash,
    max_summary_chars: proposal.maxSummaryChars,
  });
}

export function newCompaction(
  context: AgentContext,
  proposal: CompactionProposal,
  compactionId: string,
): NewCompaction {
  const { run, row } = context.execution;
  return {
    projectId: run.projectId,
    compactionId,
    streamId: context.begun.subStream,
    runId: run.runId,
    stepId: row.stepId,
    item: row.item,
    viewRunId: proposal.viewRunId,
    cutoffSeq: proposal.cutoffSeq,
    reason: proposal.reason,
    range: proposal.range,
    entries: proposal.entries,
    supersedes: proposal.supersedes,
    manifest: context.plan.manifestHash,
    policyHash: context.plan.policyHash,
    maxSummaryChars: proposal.maxSummaryChars,
    charsBefore: proposal.charsBefore,
  };
}
