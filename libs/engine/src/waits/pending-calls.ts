import { subStreamId, type Content, type EventData } from '#libs/domain';
import type { Advance } from '../advance/advance.js';
import type { StepRunRecord } from '../ports/run-records.port.js';

type Completed = EventData<'ToolCallCompleted'>;

/** Calls of a step whose tool said that the result comes later, and which have none yet. */
export async function pendingCalls({ tx, run }: Pick<Advance, 'tx' | 'run'>, row: StepRunRecord): Promise<Completed[]> {
  const events = await tx.read({
    projectId: run.projectId,
    streamId: subStreamId(run.streamId, row.stepId, row.item),
    types: ['ToolCallCompleted'],
  });
  const own = events.flatMap((event) =>
    event.type === 'ToolCallCompleted' && event.runId === run.runId && event.round === row.round ? [event.data] : [],
  );
  const isFinal = (call: Completed): boolean =>
    own.some((other) => other.call_no === call.call_no && other.ordinal === call.ordinal && other.status !== 'pending');
  return own.filter((call) => call.status === 'pending' && !isFinal(call));
}

/** The result that a pending call was waiting for; recording it again finds the stored one. */
export function recordFinalResult(
  { recorder }: Pick<Advance, 'recorder'>,
  row: StepRunRecord,
  { call_no, ordinal, tool_call_id, name, argument }: Completed,
  status: 'ok' | 'error',
  content: Content,
): void {
  const data = { call_no, ordinal, tool_call_id, name, status, content, argument };
  recorder.inConversation(row, 'ToolCallCompleted', [call_no, ordinal, 'final'], data);
}
