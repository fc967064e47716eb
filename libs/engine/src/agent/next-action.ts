import type { EventSubject, StoredEvent, StoredEventOf, ToolCall } from '#libs/domain';

export type PendingToolCall = {
  ordinal: number;
  call: ToolCall;
  /** How often it was started before without a result. */
  starts: number;
  /** Its tool answered that the real result comes later. */
  isAwaited: boolean;
};

/** What an agent step does next, as its stored events tell. */
export type AgentAction =
  | { type: 'call_model'; callNo: number; try: number }
  /** A crash left the call open: it is sent again as recorded. */
  | { type: 'resend'; started: StoredEventOf<'LlmCallStarted'> }
  | { type: 'run_tools'; completed: StoredEventOf<'LlmCallCompleted'>; pending: PendingToolCall[] }
  | { type: 'finish'; completed: StoredEventOf<'LlmCallCompleted'> };

/**
 * Pure: the same events give the same action, so a worker that takes a step over goes on where the last one stopped. A
 * completed call is never asked again; of the calls of an answer only those without a final result run.
 * @param events of the sub-stream, in order; those of other runs, items and rounds are ignored.
 */
export function nextAction(events: readonly StoredEvent[], subject: EventSubject): AgentAction {
  const own = events.filter((event) => isOwn(event, subject));
  const last = own.filter(isCallEvent).at(-1);
  if (last === undefined) return { type: 'call_model', callNo: 1, try: 1 };
  switch (last.type) {
    case 'LlmCallStarted':
      return isInterruptedAfter(own, last.seq)
        ? { type: 'call_model', callNo: last.data.call_no, try: last.data.try + 1 }
        : { type: 'resend', started: last };
    case 'LlmCallFailed':
      return { type: 'call_model', callNo: last.data.call_no, try: last.data.try + 1 };
    case 'LlmCallCompleted':
      return afterAnswer(own, last);
  }
}

/** Turns of this run: completed model calls. */
export function countTurns(events: readonly StoredEvent[], subject: EventSubject): number {
  return events.filter((event) => event.type === 'LlmCallCompleted' && isOwn(event, subject)).length;
}

type CallEvent = StoredEventOf<'LlmCallStarted'> | StoredEventOf<'LlmCallCompleted'> | StoredEventOf<'LlmCallFailed'>;

const isCallEvent = (event: StoredEvent): event is CallEvent =>
  event.type === 'LlmCallStarted' || event.type === 'LlmCallCompleted' || event.type === 'LlmCallFailed';

function isOwn(event: StoredEvent, subject: EventSubject): boolean {
  return (
    event.runId === subject.runId &&
    event.stepId === subject.stepId &&
    event.item === subject.item &&
    event.round === subject.round
  );
}

const isInterruptedAfter = (own: readonly StoredEvent[], seq: number): boolean =>
  own.some((event) => event.type === 'ConversationInterrupted' && event.seq > seq);

function afterAnswer(own: readonly StoredEvent[], completed: StoredEventOf<'LlmCallCompleted'>): AgentAction {
  const next: AgentAction = { type: 'call_model', callNo: completed.data.call_no + 1, try: 1 };
  // What was open when the conversation was interrupted stays closed: the repair shows it as interrupted.
  if (isInterruptedAfter(own, completed.seq)) return next;
  const calls = completed.data.message.tool_calls;
  if (calls.length === 0) return isAskedAgain(own, completed.seq) ? next : { type: 'finish', completed };
  const pending = calls.flatMap((call, ordinal) => pendingCall(own, completed.data.call_no, ordinal, call));
  return pending.length === 0 ? next : { type: 'run_tools', completed, pending };
}

/** The loop itself asked for more (a repair of the output). */
const isAskedAgain = (own: readonly StoredEvent[], seq: number): boolean =>
  own.some((event) => event.type === 'UserMessageReceived' && event.seq > seq);

function pendingCall(own: readonly StoredEvent[], callNo: number, ordinal: number, call: ToolCall): PendingToolCall[] {
  let starts = 0;
  let isAwaited = false;
  for (const event of own) {
    if (event.type !== 'ToolCallCompleted' && event.type !== 'ToolCallStarted') continue;
    if (event.data.call_no !== callNo || event.data.ordinal !== ordinal) continue;
    if (event.type === 'ToolCallStarted') starts += 1;
    else if (event.data.status === 'pending') isAwaited = true;
    else return [];
  }
  return [{ ordinal, call, starts, isAwaited }];
}
