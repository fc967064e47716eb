import type { AgentContext } from '../agent/agent-context.js';
import type { PendingToolCall } from '../agent/next-action.js';
import type { ApprovalRecord } from '../ports/wait-store.port.js';
import type { CallApproval, CallPlace } from '../run-step/step-outcome.js';
import { approvalOf } from '../waits/wait-for-calls.js';
import { toolNamed } from './tool-named.js';

/** A call that may be made now; `approval`: what a person decided about it, where one was asked. */
export type ReadyCall = PendingToolCall & { approval: ApprovalRecord | null };

export type SortedCalls = {
  ready: ReadyCall[];
  /** Nobody has decided about these yet. */
  approvals: CallApproval[];
  /** Their real results come later. */
  results: CallPlace[];
};

/** Which of the open calls of an answer run now, and which wait for people or for results that come later. */
export async function sortCalls(
  context: AgentContext,
  callNo: number,
  pending: readonly PendingToolCall[],
): Promise<SortedCalls> {
  const sorted: SortedCalls = { ready: [], approvals: [], results: [] };
  let known: ApprovalRecord[] | null = null;
  for (const call of pending) {
    if (call.isAwaited) {
      sorted.results.push({ callNo, ordinal: call.ordinal });
      continue;
    }
    const ask = questionOf(context, callNo, call);
    if (ask === null) {
      sorted.ready.push({ ...call, approval: null });
      continue;
    }
    known ??= await approvalsOf(context);
    const approval = approvalOf(known, ask);
    if (approval === null || approval.status === 'pending') sorted.approvals.push(ask);
    else sorted.ready.push({ ...call, approval });
  }
  return sorted;
}

function approvalsOf({ execution }: AgentContext): Promise<ApprovalRecord[]> {
  return execution.deps.runs.approvalsOfStep(execution.run.projectId, execution.row.stepRunId);
}

/** What a person must be asked before the call is made; null: nothing. Calls that will be refused anyway are not asked about. */
function questionOf({ plan, execution }: AgentContext, callNo: number, pending: PendingToolCall): CallApproval | null {
  const found = toolNamed(plan, pending.call.name);
  if (found === undefined) return null;
  const { tool, definition } = found;
  if (!execution.deps.tools.parseArguments(tool, pending.call.arguments).ok) return null;
  const { ordinal, starts: lost } = pending;
  const about = { callNo, ordinal, lost, tool: tool.name, arguments: pending.call.arguments };
  if (pending.starts > 0 && tool.effect === 'non_idempotent')
    return definition?.onUnknownOutcome === 'ask'
      ? { ...about, kind: 'unknown_outcome', prompt: unknownPrompt(tool.name) }
      : null;
  return tool.requiresApproval ? { ...about, kind: 'tool', prompt: `May ${tool.name} be called?` } : null;
}

/** @param unanswered what was said instead of a result; null: nothing, its worker died. */
export const unknownPrompt = (tool: string, unanswered: string | null = null): string =>
  `${tool} started and left no result: ${unanswered ?? 'the process that ran it died.'} It may have been carried out. Call it again?`;
