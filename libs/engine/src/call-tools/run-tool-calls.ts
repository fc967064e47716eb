import { placeholderArgument } from '#libs/context';
import type { Content, NewEvent, ToolResultStatus } from '#libs/domain';
import type { AgentContext } from '../agent/agent-context.js';
import type { AgentAction, PendingToolCall } from '../agent/next-action.js';
import { failedStep, type CallApproval, type CallPlace, type StepOutcome } from '../run-step/step-outcome.js';
import { sortCalls, type ReadyCall } from './ask-about-calls.js';
import { invokeTool, unknownEvent, type InvokeResult } from './invoke-tool.js';
import { toolNamed } from './tool-named.js';
import { NOTICE_AFTER, STOP_AFTER, withNotice } from './repeated-calls.js';

type RunTools = Extract<AgentAction, { type: 'run_tools' }>;

/**
 * Runs the open calls of one answer in parallel, up to the bound; start and result of each are journalled as they happen.
 * Every fault of a call is a result for the model. Null: the loop goes on.
 */
export async function runToolCalls(context: AgentContext, action: RunTools): Promise<StepOutcome | null> {
  const isRefused = ({ ordinal, isAwaited }: PendingToolCall): boolean =>
    !isAwaited && refusal(context, ordinal) !== null;
  const refused = action.pending.filter(isRefused).map((pending): ReadyCall => ({ ...pending, approval: null }));
  // Nobody is asked about a call that is not made anyway.
  const { ready, approvals, results } = await sortCalls(
    context,
    action.completed.data.call_no,
    action.pending.filter((pending) => !isRefused(pending)),
  );
  const queue = [...refused, ...ready];
  if (queue.length === 0) return waitForOthers(context, action, approvals, results);
  const outcomes: (StepOutcome | null)[] = [];
  let open = action.pending.length;
  const worker = async (): Promise<void> => {
    for (let pending = queue.shift(); pending !== undefined; pending = queue.shift()) {
      if (context.execution.held.signal.aborted) return;
      outcomes.push(await runOne(context, action, pending, () => open === 1));
      open -= 1;
    }
  };
  const { maxParallelToolCalls } = context.execution.deps.settings;
  const isRecorded = action.pending.some(({ call }) => isRecordedTool(context, call.name));
  const parallel = isRecorded ? 1 : Math.min(maxParallelToolCalls, queue.length);
  await Promise.all(Array.from({ length: parallel }, worker));
  return outcomes.find((outcome) => outcome !== null) ?? null;
}

const isRecordedTool = ({ plan }: AgentContext, name: string): boolean =>
  toolNamed(plan, name)?.tool.isRecorded === true;

/** Nothing is left to run: people decide, or results come. What may have had its effect is said before it is asked about. */
async function waitForOthers(
  context: AgentContext,
  action: RunTools,
  approvals: readonly CallApproval[],
  results: readonly CallPlace[],
): Promise<StepOutcome> {
  for (const { kind, callNo, ordinal, tool, lost } of approvals) {
    if (kind !== 'unknown_outcome') continue;
    const toolCallId = action.pending.find((pending) => pending.ordinal === ordinal)?.call.id ?? '';
    await context.append([unknownEvent(context, { callNo, ordinal, lost, toolCallId, name: tool, policy: 'ask' })]);
  }
  return { kind: 'waiting_for_calls', approvals, results };
}

/** `isLast`: no other call of the answer is open any more. */
async function runOne(
  context: AgentContext,
  action: RunTools,
  pending: ReadyCall,
  isLast: () => boolean,
): Promise<StepOutcome | null> {
  const callNo = action.completed.data.call_no;
  const { conversation, plan } = context;
  const refused = refusal(context, pending.ordinal);
  const result: InvokeResult =
    refused === null
      ? await invokeTool(context, callNo, pending)
      : { kind: 'result', status: 'error', content: refused };
  if (result.kind === 'stopped') return null;
  if (result.kind === 'ended') return result.outcome;
  const repeats = isRecordedTool(context, pending.call.name) ? 1 : conversation.loop.countRepeats(pending.call, result);
  const content = repeats === NOTICE_AFTER ? withNotice(result.content) : result.content;
  const completed = completedEvent(context, callNo, pending, result.status, content);
  const unwritten = result.unwritten ?? [];
  const usage = { usage: null, costUsd: 0, modelCalls: 0, toolCalls: 1 };
  // The model is asked next, and its start written with this. Not so what must not be done again: it is written at once.
  const isFollowed = unwritten.length > 0 && result.status !== 'pending' && isLast();
  const appended = isFollowed
    ? await context.appendSoon([...unwritten, completed], usage)
    : await context.append([...unwritten, completed], { usage });
  if (appended?.status === 'fenced_out') return { kind: 'fenced_out' };
  if (repeats < STOP_AFTER) return null;
  return failedStep(
    'loop_detected',
    `agent ${plan.agent.name} called ${pending.call.name} ${repeats} times in a row with the same arguments and got the same result; change the prompt or the tool`,
  );
}

function completedEvent(
  context: AgentContext,
  callNo: number,
  pending: ReadyCall,
  status: ToolResultStatus,
  content: Content,
): NewEvent {
  const { call, ordinal } = pending;
  const primary = toolNamed(context.plan, call.name)?.tool.primaryArgument ?? null;
  return context.event('ToolCallCompleted', [callNo, ordinal, status === 'pending' ? 'pending' : 'final'], {
    call_no: callNo,
    ordinal,
    tool_call_id: call.id,
    name: call.name,
    status,
    content,
    argument: placeholderArgument(primary, call.arguments),
  });
}

/**
 * Calls over `max_tool_calls_per_turn` get an error result, counted over the exchange; so do those of an answer that was asked
 * for without tools, which some models and servers give all the same.
 */
function refusal({ plan, conversation }: AgentContext, ordinal: number): string | null {
  if (conversation.loop.isWithoutTools) return 'This call was not made: no more tools may be called.';
  const max = plan.maxToolCalls;
  if (max === null) return null;
  const before = conversation.loop.exchangeCalls - conversation.loop.exchangeCallsOfAnswer;
  if (before + ordinal < max) return null;
  return `This call was not made: at most ${max} tool calls are allowed for one user message. Answer with what you have.`;
}

/** Some calls of this exchange were refused: what follows is one last answer without tools. */
export function areCallsUsedUp({ plan, conversation }: AgentContext): boolean {
  return plan.maxToolCalls !== null && conversation.loop.exchangeCalls > plan.maxToolCalls;
}
