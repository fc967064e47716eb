import type { Content, Json, JsonObject, NewEvent, ToolResultStatus } from '#libs/domain';
import type { AgentContext } from '../agent/agent-context.js';
import type { AgentTool } from '../agent/agent-plan.js';
import { stepMemory } from '../tool-memory.js';
import type { ToolInvocation, ToolOutcome } from '../ports/tool.port.js';
import type { ApprovalRecord } from '../ports/wait-store.port.js';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';
import type { ReadyCall } from './ask-about-calls.js';
import { effectKey } from './effect-key.js';
import { mayRunAgain } from './may-run-again.js';
import { startToolRun } from './start-tool-run.js';
import { readResult } from './read-result.js';
import { toolNamed } from './tool-named.js';

export type InvokeResult =
  /** `unwritten`: the start of a call that may simply run again; it is written with its result. */
  | { kind: 'result'; status: ToolResultStatus; content: Content; unwritten?: readonly NewEvent[] }
  /** Our own stop: no result is recorded, the journal knows that it started. */
  | { kind: 'stopped' }
  | { kind: 'ended'; outcome: StepOutcome };

const errorResult = (content: string): InvokeResult => ({ kind: 'result', status: 'error', content });

/** One call with its journal: checks, `ToolCallStarted`, the call itself. The result is appended by the caller. */
export async function invokeTool(context: AgentContext, callNo: number, pending: ReadyCall): Promise<InvokeResult> {
  const { execution, plan } = context;
  const agentTool = toolNamed(plan, pending.call.name);
  if (agentTool === undefined) {
    const known = [...plan.tools.keys()].sort().join(', ');
    return errorResult(
      `There is no tool named ${pending.call.name}. ${known === '' ? 'No tools are available.' : `Available: ${known}.`}`,
    );
  }
  const { approval } = pending;
  if (approval?.status === 'denied') return deniedResult(agentTool.tool.name, approval);
  const edited = approval?.decisionArguments ?? null;
  const parsed = execution.deps.tools.parseArguments(agentTool.tool, edited ?? pending.call.arguments);
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
  const unwritten = mayRunAgain(agentTool.tool) ? [started] : [];
  if (unwritten.length === 0 && (await context.append([started])).status === 'fenced_out')
    return { kind: 'ended', outcome: { kind: 'fenced_out' } };
  const result = await invoke(context, { callNo, pending, agentTool, args: parsed.ok ? parsed.args : {}, key });
  if (result.kind !== 'result') return result;
  const content = edited === null ? result.content : withEditedArguments(result.content, edited);
  return { ...result, content, unwritten };
}

/** A call that may have had its effect must not be made again: the policy of its tool decides. */
async function unknownOutcome(
  context: AgentContext,
  callNo: number,
  pending: ReadyCall,
  { tool, definition }: AgentTool,
): Promise<InvokeResult | null> {
  if (pending.starts === 0 || tool.effect !== 'non_idempotent') return null;
  const policy = definition?.onUnknownOutcome ?? 'tell_model';
  // A person has decided that it is made again.
  if (policy === 'ask') return null;
  const { ordinal, call, starts: lost } = pending;
  const about = { callNo, ordinal, lost, toolCallId: call.id, name: tool.name };
  await context.append([unknownEvent(context, { ...about, policy })]);
  if (policy === 'tell_model')
    return errorResult(
      `It is not known whether ${tool.name} was carried out: the process that ran it died. Check before doing it again.`,
    );
  const detail = `${tool.name} started and left no result (its worker died), and it is declared non_idempotent; check whether it was carried out, then retry the run or declare another effect`;
  return { kind: 'ended', outcome: failedStep('tool_outcome_unknown', detail) };
}

type UnknownCall = {
  callNo: number;
  ordinal: number;
  toolCallId: string;
  name: string;
  policy: 'ask' | 'fail' | 'tell_model';
  lost: number;
};

export function unknownEvent(context: AgentContext, unknown: UnknownCall): NewEvent {
  const { callNo, ordinal, toolCallId, name, policy, lost } = unknown;
  const data = { call_no: callNo, ordinal, tool_call_id: toolCallId, name, policy };
  return context.event('ToolOutcomeUnknown', lost > 1 ? [callNo, ordinal, lost] : [callNo, ordinal], data);
}

function deniedResult(tool: string, { kind, decisionComment }: ApprovalRecord): InvokeResult {
  const because = decisionComment === null ? '' : ` Their comment: ${decisionComment}`;
  const content =
    kind === 'unknown_outcome'
      ? `It is not known whether ${tool} was carried out, and a person decided that it is not called again.${because}`
      : `A person denied this call of ${tool}; it was not made.${because}`;
  return { kind: 'result', status: 'denied', content };
}

/** The model must know what was really done. */
function withEditedArguments(content: Content, argumentsText: string): Content {
  const note = `[A person changed the arguments of this call to ${argumentsText}]`;
  return typeof content === 'string' ? `${note}\n${content}` : [{ type: 'text', text: note }, ...content];
}

type Invoking = {
  callNo: number;
  pending: ReadyCall;
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
    toolCallId: pending.call.id,
    memory: stepMemory({ deps, run, held, subject: context.subject }, `${callNo}/${pending.ordinal}`),
    readResult: (entry) => readResult(deps.log, context.place, context.begun.view, entry),
  };
  const { definition } = agentTool;
  const outcome =
    definition?.kind === 'pipeline'
      ? await startToolRun(context, definition, { callNo, ordinal: pending.ordinal, args })
      : await guarded(context, invocation);
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
