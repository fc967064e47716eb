import { subStreamId, type Content, type StoredEvent, type StoredEventOf } from '#libs/domain';
import type { Advance } from '../advance/advance.js';
import type { EngineDeps } from '../engine-deps.js';
import type { StepRunRecord } from '../ports/run-records.port.js';
import { changeStep } from '../sweep/change-step.js';
import { recordFinalResult } from './pending-calls.js';
import { wakeStep } from './wake-step.js';

export type CompleteToolCall = {
  projectId: string;
  runId: string;
  stepId: string;
  item: number | null;
  callNo: number;
  toolCallId: string;
  content: Content;
  isError: boolean;
};

export type CompleteToolCallResult =
  | { status: 'completed'; round: number }
  /** No such run, step or call. */
  | { status: 'not_found' }
  /** It has its final result, or never said that it comes later. */
  | { status: 'not_pending' };

/**
 * The real result of a call whose tool had answered that it comes later. Stored under the lock of its step, then the step
 * that waits for it goes on; one that has ended keeps it in its conversation.
 */
export async function completeToolCall(deps: EngineDeps, command: CompleteToolCall): Promise<CompleteToolCallResult> {
  const { projectId, runId, stepId, item } = command;
  const rows = (await deps.runs.stepRunsOf(projectId, runId)).filter(
    (row) => row.stepId === stepId && row.item === item,
  );
  const latest = rows.sort((a, b) => b.round - a.round)[0];
  if (latest === undefined) return { status: 'not_found' };
  let result: CompleteToolCallResult = { status: 'not_found' };
  await changeStep(deps, latest, async (advance, row) => {
    const found = await findCall(advance, row, command);
    result = found.status === 'pending' ? { status: 'completed', round: row.round } : { status: found.status };
    if (found.status !== 'pending') return null;
    recordFinalResult(advance, row, found.call.data, command.isError ? 'error' : 'ok', command.content);
    const waits = row.status === 'waiting' && (row.reason === 'signal' || row.reason === 'approval');
    return waits ? wakeStep(advance, row) : [];
  });
  return result;
}

type PendingCall = StoredEventOf<'ToolCallCompleted'>;
type FoundCall = { status: 'pending'; call: PendingCall } | { status: 'not_found' | 'not_pending' };

async function findCall({ tx, run }: Advance, row: StepRunRecord, command: CompleteToolCall): Promise<FoundCall> {
  const events = await tx.read({
    projectId: run.projectId,
    streamId: subStreamId(run.streamId, row.stepId, row.item),
    types: ['ToolCallRequested', 'ToolCallCompleted'],
  });
  const own = events.filter((event) => isOfCall(event, row, command));
  if (own.length === 0) return { status: 'not_found' };
  const results = own.filter((event) => event.type === 'ToolCallCompleted');
  const pending = results.find((event) => event.data.status === 'pending');
  const isFinal = results.some((event) => event.data.status !== 'pending');
  return pending === undefined || isFinal ? { status: 'not_pending' } : { status: 'pending', call: pending };
}

function isOfCall(event: StoredEvent, row: StepRunRecord, { callNo, toolCallId }: CompleteToolCall): boolean {
  if (event.runId !== row.runId || event.round !== row.round) return false;
  if (event.type === 'ToolCallRequested')
    return event.data.call_no === callNo && event.data.tool_call.id === toolCallId;
  return event.type === 'ToolCallCompleted' && event.data.call_no === callNo && event.data.tool_call_id === toolCallId;
}
