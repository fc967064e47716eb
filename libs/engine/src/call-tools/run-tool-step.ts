import {
  canonicalJson,
  renderTemplate,
  subStreamId,
  type Content,
  type JsonObject,
  type NewEvent,
  type PipelineStep,
  type StoredEvent,
  type ToolStepWork,
} from '#libs/domain';
import { placeholderArgument } from '#libs/context';
import { newEvent } from '../new-event.js';
import type { AppendResult } from '../ports/event-log.port.js';
import type { ResolvedTool, ToolOutcome } from '../ports/tool.port.js';
import type { StepExecution } from '../run-step/step-execution.js';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';
import { stepMemory } from '../tool-memory.js';
import { effectKey } from './effect-key.js';
import { mayRunAgain } from './may-run-again.js';
import { prepareTools } from './prepare-tools.js';
import { approvalOf } from '../waits/wait-for-calls.js';
import { unknownPrompt } from './ask-about-calls.js';
import { outputOf } from './tool-output.js';

type ToolStepExecution = Omit<StepExecution, 'step'> & { step: PipelineStep & ToolStepWork };

/** A step that is one tool call. Journalled in its sub-stream like a call of an agent (call 1, ordinal 0). */
export async function runToolStep(execution: ToolStepExecution): Promise<StepOutcome> {
  const { deps, definition, step, variables } = execution;
  const toolDefinition = definition.tools.get(step.tool) ?? null;
  const unprepared = await prepareTools(execution, [step.tool]);
  if (unprepared !== null) return unprepared;
  const resolved = deps.tools.resolve(step.tool, toolDefinition);
  if (!resolved.ok) return failedStep('step_invalid', resolved.detail);
  const rendered = renderTemplate(step.args, variables, deps.expressions);
  if (!rendered.ok) return failedStep('expression_failed', `args: ${rendered.detail}`);
  const argumentsText = canonicalJson(rendered.value ?? {});
  const parsed = deps.tools.parseArguments(resolved.tool, argumentsText);
  if (!parsed.ok) return failedStep('step_invalid', `args of step ${step.id}: ${parsed.detail}`);
  return callOnce(execution, { tool: resolved.tool, args: parsed.args, argumentsText });
}

type ToolCallPlan = { tool: ResolvedTool; args: JsonObject; argumentsText: string };

/** @param unanswered why the call that was just made has no result: its start stands alone, as if its worker had died. */
async function callOnce(
  execution: ToolStepExecution,
  planned: ToolCallPlan,
  unanswered: string | null = null,
): Promise<StepOutcome> {
  const { deps, run, row, definition, step } = execution;
  const earlier = await earlierStarts(execution, row.starts <= 1 && unanswered === null);
  const result = knownResult(earlier);
  if (result !== null) return result;
  const decided = await decisionOf(execution, planned, earlier, unanswered);
  if (decided.kind === 'ended') return decided.outcome;
  const { plan } = decided;
  const policy = definition.tools.get(step.tool)?.onUnknownOutcome ?? 'fail';
  if (earlier.open > 0 && plan.tool.effect === 'non_idempotent' && policy !== 'ask') {
    await tellUnknown(execution, plan.tool.name, policy, earlier.lost);
    return failedStep(
      'tool_outcome_unknown',
      `${plan.tool.name} started and left no result (${unanswered ?? 'its worker died'}), and it is declared non_idempotent; check whether it was carried out, then retry the run or declare another effect`,
    );
  }
  const key = plan.tool.effect === 'idempotent_with_key' ? effectKey(subjectOf(execution), 1, 0) : null;
  const tries = earlier.open + earlier.failed + 1;
  const start = made(execution, 'ToolCallStarted', [1, 0, tries, row.fence], {
    call_no: 1,
    ordinal: 0,
    try: tries,
    name: plan.tool.name,
    effect: plan.tool.effect,
    idempotency_key: key,
  });
  const unwritten = mayRunAgain(plan.tool) ? [start] : [];
  if (unwritten.length === 0 && (await append(execution, [start])) === 'fenced_out') return { kind: 'fenced_out' };
  const outcome = await invoke(execution, plan, key, tries);
  if (execution.held.signal.aborted) return { kind: 'released', reason: 'shutdown' };
  deps.logger.debug({ run_id: run.runId, step_id: step.id, status: outcome.status }, 'tool step ended');
  if (outcome.status === 'error' && outcome.mayHaveTakenEffect === true && plan.tool.effect === 'non_idempotent')
    return callOnce(execution, planned, outcome.content);
  const told = outcome.status === 'recorded' ? playedOutcome(outcome.result) : outcome;
  return told === null ? { kind: 'cancelled' } : recordResult(execution, plan, told, { tries, unwritten });
}

/** What the journal says already; null: the call is to be made. */
function knownResult({ done, lateError, isAwaited }: Earlier): StepOutcome | null {
  if (done !== null) return { kind: 'succeeded', output: outputOf(done) };
  if (lateError !== null) return failedStep('tool_failed', lateError);
  return isAwaited ? waitForResult() : null;
}

type Played = Extract<ToolOutcome, { status: 'recorded' }>['result'];

function playedOutcome(result: Played): Exclude<ToolOutcome, { status: 'recorded' }> | null {
  if (result === null) return null;
  if (result.status === 'ok') return { status: 'ok', content: result.content };
  const content = typeof result.content === 'string' ? result.content : JSON.stringify(result.content);
  return { status: 'error', content, retryable: false };
}

async function recordResult(
  execution: ToolStepExecution,
  plan: ToolCallPlan,
  outcome: Exclude<ToolOutcome, { status: 'recorded' }>,
  { tries, unwritten }: { tries: number; unwritten: readonly NewEvent[] },
): Promise<StepOutcome> {
  const { row, step } = execution;
  const end = made(execution, 'ToolCallCompleted', [1, 0, tries, row.fence], {
    call_no: 1,
    ordinal: 0,
    tool_call_id: step.id,
    name: plan.tool.name,
    status: outcome.status,
    content: outcome.content,
    argument: placeholderArgument(plan.tool.primaryArgument, plan.argumentsText),
  });
  const events = [...unwritten, end];
  if (outcome.status === 'ok' && unwritten.length > 0)
    return {
      kind: 'succeeded',
      output: outputOf(outcome.content),
      journal: { streamId: subjectOf(execution).streamId, events, toolCalls: 1 },
    };
  if ((await append(execution, events)) === 'fenced_out') return { kind: 'fenced_out' };
  switch (outcome.status) {
    case 'ok':
      return { kind: 'succeeded', output: outputOf(outcome.content) };
    case 'error':
      return failedStep(outcome.retryable ? 'tool_unavailable' : 'tool_failed', outcome.content);
    case 'pending':
      return waitForResult();
    case 'cancelled':
      return { kind: 'cancelled' };
  }
}

async function invoke(
  execution: ToolStepExecution,
  plan: ToolCallPlan,
  key: string | null,
  tries: number,
): Promise<ToolOutcome> {
  const { deps, run, row, definition, step, variables, held } = execution;
  return deps.tools.invoke({
    tool: plan.tool,
    definition: definition.tools.get(step.tool) ?? null,
    args: plan.args,
    idempotencyKey: key,
    position: {
      projectId: run.projectId,
      streamId: run.streamId,
      runId: run.runId,
      stepId: row.stepId,
      item: row.item,
      callNo: 1,
      try: tries,
      ordinal: 0,
    },
    variables: { ...variables, args: plan.args },
    signal: held.signal,
    toolCallId: step.id,
    memory: stepMemory({ deps, run, held, subject: subjectOf(execution) }, '1/0'),
    readResult: () => Promise.resolve(null),
  });
}

/** The place of the one call of a tool step. */
const CALL = { callNo: 1, ordinal: 0 };
const waitForResult = (): StepOutcome => ({ kind: 'waiting_for_calls', approvals: [], results: [CALL] });

type Decided = { kind: 'go'; plan: ToolCallPlan } | { kind: 'ended'; outcome: StepOutcome };

/** What people decided about the call, where they are asked; they may have changed its arguments. */
async function decisionOf(
  execution: ToolStepExecution,
  plan: ToolCallPlan,
  { open, lost }: Earlier,
  unanswered: string | null,
): Promise<Decided> {
  const { deps, run, row, definition, step } = execution;
  const { tool } = plan;
  const isUnknown = open > 0 && tool.effect === 'non_idempotent';
  const asks = isUnknown ? definition.tools.get(step.tool)?.onUnknownOutcome === 'ask' : tool.requiresApproval;
  if (!asks) return { kind: 'go', plan };
  const kind = isUnknown ? ('unknown_outcome' as const) : ('tool' as const);
  const prompt = isUnknown ? unknownPrompt(tool.name, unanswered) : `May ${tool.name} be called?`;
  const ask = { ...CALL, kind, lost, tool: tool.name, arguments: plan.argumentsText, prompt };
  const approval = approvalOf(await deps.runs.approvalsOfStep(run.projectId, row.stepRunId), ask);
  if (approval === null || approval.status === 'pending') {
    if (isUnknown) await tellUnknown(execution, tool.name, 'ask', lost);
    return { kind: 'ended', outcome: { kind: 'waiting_for_calls', approvals: [ask], results: [] } };
  }
  if (approval.status === 'denied') {
    const because = approval.decisionComment === null ? '' : `: ${approval.decisionComment}`;
    return {
      kind: 'ended',
      outcome: failedStep('approval_denied', `a person denied the call of ${tool.name}${because}`),
    };
  }
  if (approval.decisionArguments === null) return { kind: 'go', plan };
  const parsed = deps.tools.parseArguments(tool, approval.decisionArguments);
  if (!parsed.ok) return { kind: 'ended', outcome: failedStep('step_invalid', `changed arguments: ${parsed.detail}`) };
  return { kind: 'go', plan: { tool, args: parsed.args, argumentsText: approval.decisionArguments } };
}

async function tellUnknown(
  execution: ToolStepExecution,
  name: string,
  policy: 'ask' | 'fail' | 'tell_model',
  lost: number,
): Promise<void> {
  const data = {
    call_no: 1,
    ordinal: 0,
    tool_call_id: execution.step.id,
    name,
    policy,
    generation: execution.run.generation,
  };
  await append(execution, [made(execution, 'ToolOutcomeUnknown', lost > 1 ? [1, 0, lost] : [1, 0], data)]);
}

type Earlier = {
  /** Starts since the last result, and since the last retry of a run that failed for want of one. */
  open: number;
  /** Starts that left no result, of all tries. */
  lost: number;
  failed: number;
  done: Extract<StoredEvent, { type: 'ToolCallCompleted' }>['data']['content'] | null;
  /** The tool answered that the real result comes later. */
  isAwaited: boolean;
  /** It came, as an error. */
  lateError: string | null;
};

/** What the journal says of earlier tries in this run. */
async function earlierStarts(execution: ToolStepExecution, isFirst: boolean): Promise<Earlier> {
  const { deps, run, row } = execution;
  if (isFirst) return { open: 0, lost: 0, failed: 0, done: null, isAwaited: false, lateError: null };
  const events = await deps.log.read({
    projectId: run.projectId,
    streamId: subjectOf(execution).streamId,
    types: ['ToolCallStarted', 'ToolCallCompleted', 'ToolOutcomeUnknown'],
  });
  const earlier: Earlier = { open: 0, lost: 0, failed: 0, done: null, isAwaited: false, lateError: null };
  for (const event of events) {
    if (event.runId !== run.runId || event.round !== row.round) continue;
    if (event.type === 'ToolCallStarted') {
      earlier.open += 1;
      earlier.lost += 1;
    }
    // Whoever retried the run since has looked, and wants the call made.
    if (event.type === 'ToolOutcomeUnknown' && (event.data.generation ?? 0) < run.generation) earlier.open = 0;
    if (event.type !== 'ToolCallCompleted') continue;
    // The last start has its result.
    if (earlier.open > 0) earlier.lost -= 1;
    earlier.open = 0;
    if (event.data.status === 'ok') earlier.done = event.data.content;
    else if (event.data.status !== 'pending') earlier.failed += 1;
    if (earlier.isAwaited && event.data.status === 'error') earlier.lateError = textOf(event.data.content);
    earlier.isAwaited = event.data.status === 'pending';
  }
  return earlier;
}

const textOf = (content: Content): string => (typeof content === 'string' ? content : JSON.stringify(content));

function subjectOf({ run, row }: ToolStepExecution) {
  return {
    runId: run.runId,
    stepId: row.stepId,
    item: row.item,
    round: row.round,
    streamId: subStreamId(run.streamId, row.stepId, row.item),
  };
}

function made<T extends 'ToolCallStarted' | 'ToolCallCompleted' | 'ToolOutcomeUnknown'>(
  execution: ToolStepExecution,
  type: T,
  key: (string | number)[],
  data: Parameters<typeof newEvent<T>>[4],
): NewEvent {
  return newEvent(execution.deps.redact, subjectOf(execution), type, key, data);
}

async function append(execution: ToolStepExecution, events: NewEvent[]): Promise<AppendResult['status']> {
  const { deps, run, held } = execution;
  const { streamId } = subjectOf(execution);
  await held.claim();
  const fence = { kind: 'step' as const, id: held.stepRunId, fence: held.fence };
  const toolCalls = events.filter(({ type }) => type === 'ToolCallCompleted').length;
  const usage = { usage: null, costUsd: 0, modelCalls: 0, toolCalls };
  const [result] = await deps.log.append([{ projectId: run.projectId, streamId, events, fence, usage }]);
  if (result?.status === 'fenced_out') held.stop('fenced');
  return result?.status ?? 'fenced_out';
}
