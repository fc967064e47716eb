import type { Content, Json, JsonObject, ToolResultStatus } from '#libs/domain';
import type { AgentContext } from '../agent/agent-context.js';
import type { AgentTool } from '../agent/agent-plan.js';
import type { PendingToolCall } from '../agent/next-action.js';
import { stepMemory } from '../tool-memory.js';
import type { ToolInvocation, ToolOutcome } from '../ports/tool.port.js';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';
import { effectKey } from './effect-key.js';
import { readResult } from './read-result.js';
import { toolNamed } from './tool-named.js';

export type InvokeResult =
  | { kind: 'result'; status: ToolResultStatus; content: Content }
  /** Our own stop: no result is recorded, the journal knows that it started. */
  | { kind: 'stopped' }
  | { kind: 'ended'; outcome: StepOutcome };

const errorResult = (content: string): InvokeResult => ({ kind: 'result', status: 'error', content });

/** One call with its journal: checks, `ToolCallStarted`, the call itself. The result is appended by the caller. */
export async function invokeTool(
  context: AgentContext,
  callNo: number,
  pending: PendingToolCall,
): Promise<InvokeResult> {
  const { execution, plan } = context;
  const agentTool = toolNamed(plan, pending.call.name);
  if (agentTool === undefined) {
    const known = [...plan.tools.keys()].sort().join(', ');
    return errorResult(
      `There is no tool named ${pending.call.name}. ${known === '' ? 'No tools are available.' : `Available: ${known}.`}`,
    );
  }
  const parsed = execution.deps.tools.parseArguments(agentTool.tool, pending.call.arguments);
  if (!parsed.ok && agentTool.tool.isRecorded !== true)
    return errorResult(`The arguments of ${pending.call.name} were refused: ${parsed.detail}`);
  const unknown = await unknownOutcome(context, callNo, pending, agentTool);
  if (unknown !== null) return unknown;
  const key =
    agentTool.tool.effect === 'idempotent_with_key' ? effectKey(context.subject, callNo, pending.ordinal) : null;
  const started = context.event('ToolCallStarted', [callNo, pending.ordinal, pending.starts + 1], {
    call_no: callNo,
    ordinal: pending.ordinal,
    try: pending.starts + 1,
    name: pending.call.name,
    effect: agentTool.tool.effect,
    idempotency_key: key,
  });
  const appended = await context.append([started]);
  if (appended.status === 'fenced_out') return { kind: 'ended', outcome: { kind: 'fenced_out' } };
  return invoke(context, { callNo, pending, agentTool, args: parsed.ok ? parsed.args : {}, key });
}

/** A call that may have had its effect must not be made again: the policy of its tool decides. */
async function unknownOutcome(
  context: AgentContext,
  callNo: number,
  pending: PendingToolCall,
  { tool, definition }: AgentTool,
): Promise<InvokeResult | null> {
  if (pending.starts === 0 || tool.effect !== 'non_idempotent') return null;
  const policy = definition?.onUnknownOutcome ?? 'tell_model';
  const event = context.event('ToolOutcomeUnknown', [callNo, pending.ordinal], {
    call_no: callNo,
    ordinal: pending.ordinal,
    tool_call_id: pending.call.id,
    name: tool.name,
    policy,
  });
  await context.append([event]);
  if (policy === 'tell_model')
    return errorResult(
      `It is not known whether ${tool.name} was carried out: the process that ran it died. Check before doing it again.`,
    );
  const detail = `${tool.name} started and left no result (its worker died), and it is declared non_idempotent; check whether it was carried out, then retry the run or declare another effect`;
  return { kind: 'ended', outcome: failedStep('tool_outcome_unknown', detail) };
}

type Invoking = {
  callNo: number;
  pending: PendingToolCall;
  agentTool: AgentTool;
  args: JsonObject;
  key: string | null;
};

async function invoke(
  context: AgentContext,
  { callNo, pending, agentTool, args, key }: Invoking,
): Promise<InvokeResult> {
  const { execution } = context;
  const { deps, run, row, held } = execution;
  const timeout = AbortSignal.timeout(agentTool.tool.timeoutMs);
  const invocation: ToolInvocation = {
    tool: agentTool.tool,
    definition: agentTool.definition,
    args,
    idempotencyKey: key,
    position: {
      projectId: run.projectId,
      streamId: run.streamId,
      runId: run.runId,
      stepId: row.stepId,
      item: row.item,
      callNo,
      try: pending.starts + 1,
      ordinal: pending.ordinal,
    },
    variables: jsonVariables(execution.variables, args),
    signal: AbortSignal.any([held.signal, timeout]),
    memory: stepMemory({ deps, run, held, subject: context.subject }, `${callNo}/${pending.ordinal}`),
    readResult: (entry) => readResult(context.conversation.events, entry),
  };
  const outcome = await guarded(context, invocation);
  if (held.signal.aborted) return { kind: 'stopped' };
  if (outcome.status === 'recorded') return recordedResult(outcome.result);
  if (outcome.status !== 'ok' && timeout.aborted)
    return errorResult(`${pending.call.name} did not answer within ${agentTool.tool.timeoutMs} ms.`);
  return { kind: 'result', status: outcome.status, content: outcome.content };
}

function recordedResult(result: Extract<ToolOutcome, { status: 'recorded' }>['result']): InvokeResult {
  return result === null
    ? { kind: 'ended', outcome: { kind: 'cancelled' } }
    : { kind: 'result', status: result.status, content: result.content };
}

function jsonVariables(variables: AgentContext['execution']['variables'], args: JsonObject): JsonObject {
  const roots: { [key: string]: Json } = { ...variables };
  return { ...roots, args };
}

/** A tool that throws is a tool that failed. */
async function guarded(context: AgentContext, invocation: ToolInvocation): Promise<ToolOutcome> {
  try {
    return await context.execution.deps.tools.invoke(invocation);
  } catch (error) {
    context.execution.deps.logger.error(
      { ...context.logFields, tool: invocation.tool.name, error: String(error) },
      'a tool threw',
    );
    return { status: 'error', content: `${invocation.tool.name} failed unexpectedly.`, retryable: false };
  }
}
