import type { StoredEventOf, ToolCall } from '#libs/domain';
import type { AgentLoop } from './agent-loop.js';

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
  /** It called tools where none might be called: nothing is asked behind it. */
  | { type: 'end_without_tools'; completed: StoredEventOf<'LlmCallCompleted'> }
  | { type: 'finish'; completed: StoredEventOf<'LlmCallCompleted'> };

/**
 * Pure: the same events give the same action, so a worker that takes a step over goes on where the last one stopped. A
 * completed call is never asked again; of the calls of an answer only those without a final result run.
 */
export function nextAction(loop: AgentLoop): AgentAction {
  const { lastCall } = loop;
  if (lastCall === null) return { type: 'call_model', callNo: 1, try: 1 };
  switch (lastCall.type) {
    case 'LlmCallStarted':
      return loop.isInterrupted ? tryAgain(lastCall) : { type: 'resend', started: lastCall };
    case 'LlmCallFailed':
      return tryAgain(lastCall);
    case 'LlmCallCompleted':
      return afterAnswer(loop, lastCall);
  }
}

const tryAgain = ({ data }: StoredEventOf<'LlmCallStarted' | 'LlmCallFailed'>): AgentAction => ({
  type: 'call_model',
  callNo: data.call_no,
  try: data.try + 1,
});

function afterAnswer(loop: AgentLoop, completed: StoredEventOf<'LlmCallCompleted'>): AgentAction {
  const next: AgentAction = { type: 'call_model', callNo: completed.data.call_no + 1, try: 1 };
  // What was open when the conversation was interrupted stays closed: the repair shows it as interrupted.
  if (loop.isInterrupted) return next;
  const calls = completed.data.message.tool_calls;
  // The loop itself may have asked for more (a repair of the output).
  if (calls.length === 0) return loop.isAskedAgain ? next : { type: 'finish', completed };
  const pending = calls.flatMap((call, ordinal): PendingToolCall[] => {
    const { starts = 0, isAwaited = false, isEnded = false } = loop.toolCalls.get(ordinal) ?? {};
    return isEnded ? [] : [{ ordinal, call, starts, isAwaited }];
  });
  if (pending.length > 0) return { type: 'run_tools', completed, pending };
  return loop.isWithoutTools && !loop.isAskedAgain ? { type: 'end_without_tools', completed } : next;
}
