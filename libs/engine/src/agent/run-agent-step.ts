import {
  effectiveStep,
  findDefinedStep,
  readJson,
  type AssistantMessage,
  type Json,
  type StoredEventOf,
} from '#libs/domain';
import { stopReasonOf } from '../claim/held-steps.js';
import { areCallsUsedUp, runToolCalls } from '../call-tools/run-tool-calls.js';
import { prepareTools } from '../call-tools/prepare-tools.js';
import { failedStep, stepTimedOut, type StepOutcome } from '../run-step/step-outcome.js';
import { haltOf } from '../waits/halt.js';
import { AgentContext } from './agent-context.js';
import { planAgent, type AgentExecution } from './agent-plan.js';
import { beginAgentStep } from './begin-agent-step.js';
import { callModel, type CallRequest } from './call-model.js';
import { modelAtCall } from './model-at-call.js';
import { nextAction, type AgentAction } from './next-action.js';
import { withoutFence } from './without-fence.js';

/**
 * The tool-calling loop of one agent step. Each round reads what is stored, decides from that alone, and stores what came
 * of it, so that any worker can go on at any point.
 */
export async function runAgentStep(execution: AgentExecution): Promise<StepOutcome> {
  const agent = effectiveStep(execution.definition, execution.step.id)?.agent ?? null;
  const unprepared = await prepareTools(execution, agent?.tools ?? []);
  if (unprepared !== null) return unprepared;
  const planned = planAgent(execution);
  if (!planned.ok) return failedStep('step_invalid', planned.detail);
  const begin = await beginAgentStep(execution, planned.plan);
  if (!begin.ok) return begin.outcome;
  const context = new AgentContext(execution, planned.plan, begin.begun, begin.conversation);
  const outcome = await leadLoop(context);
  await context.flush();
  if (!isOver(execution, outcome)) context.conversation.leave();
  return outcome;
}

/** Nobody comes back to the conversation of a step that succeeded on its run's own stream, unless a loop repeats it. */
function isOver({ run, step, definition }: AgentExecution, { kind }: StepOutcome): boolean {
  const containers = findDefinedStep(definition, step.id)?.containers ?? [];
  return (
    kind === 'succeeded' && run.streamId === run.runId && !containers.some((container) => container.kind === 'repeat')
  );
}

async function leadLoop(context: AgentContext): Promise<StepOutcome> {
  const { execution } = context;
  for (;;) {
    const stop = stopAtBoundary(context);
    if (stop !== null) return stop;
    await context.refresh();
    const action = nextAction(context.conversation.loop);
    // The calls of an answer belong to its turn, and an answer that is there is the step's end: neither waits for leave.
    const asks = action.type === 'call_model' || action.type === 'resend';
    const halt = asks ? await haltOf(execution.deps, execution.run, context.unwrittenCalls) : null;
    if (halt !== null) return halt;
    const outcome = await performAction(context, action);
    if (outcome !== null) return outcome;
  }
}

/** Between turns nothing is in flight: the place to stop. */
function stopAtBoundary({ execution }: AgentContext): StepOutcome | null {
  const reason = stopReasonOf(execution.held.signal);
  if (reason === 'fenced') return { kind: 'fenced_out' };
  if (reason === 'cancelled') return { kind: 'cancelled' };
  if (reason === 'timed_out') return stepTimedOut();
  if (reason === 'shutdown') return { kind: 'released', reason };
  return execution.held.isDraining() ? { kind: 'released', reason: 'hand_off' } : null;
}

/** Null: go on. */
async function performAction(context: AgentContext, action: AgentAction): Promise<StepOutcome | null> {
  switch (action.type) {
    case 'call_model': {
      const { turns } = context.conversation.loop;
      const { maxTurns, onMaxTurns } = context.plan.agent;
      if (turns > maxTurns || (turns === maxTurns && onMaxTurns === 'fail')) {
        return failedStep(
          'max_turns',
          `agent ${context.plan.agent.name} took ${turns} turns without an answer; raise agents.${context.plan.agent.name}.max_turns (${maxTurns}) or narrow its task`,
        );
      }
      const isLast = turns === maxTurns || areCallsUsedUp(context);
      return askModel(context, { callNo: action.callNo, try: action.try, toolChoice: isLast ? 'none' : 'auto' });
    }
    case 'resend':
      return askModel(context, {
        callNo: action.started.data.call_no,
        try: action.started.data.try,
        toolChoice: action.started.data.tool_choice,
        recorded: action.started,
      });
    case 'run_tools':
      return runToolCalls(context, action);
    case 'end_without_tools':
      return endWith(context, action.completed);
    case 'finish':
      return finish(context, action.completed);
  }
}

/** What an answer says beside calls that were not made is the answer; without a word there is none. */
async function endWith(
  context: AgentContext,
  completed: StoredEventOf<'LlmCallCompleted'>,
): Promise<StepOutcome | null> {
  if (textOfMessage(completed.data.message).trim() !== '') return finish(context, completed);
  const { name } = context.plan.agent;
  return failedStep(
    'max_turns',
    `agent ${name} called tools where only an answer was left to give; raise agents.${name}.max_turns or max_tool_calls_per_turn, or narrow its task`,
  );
}

async function askModel(context: AgentContext, request: Omit<CallRequest, 'model'>): Promise<StepOutcome | null> {
  const at = await modelAtCall(context, request);
  return at.kind === 'call' ? callModel(context, { ...request, model: at.model }) : at.outcome;
}

async function finish(
  context: AgentContext,
  completed: StoredEventOf<'LlmCallCompleted'>,
): Promise<StepOutcome | null> {
  const { message, finish_reason: finishReason } = completed.data;
  const { plan } = context;
  if (finishReason === 'length') {
    return failedStep(
      'answer_cut_by_length',
      `the answer of ${completed.data.model} was cut at its output limit; raise agents.${plan.agent.name}.max_output_tokens or ask for less`,
    );
  }
  const text = textOfMessage(message);
  if (plan.agent.outputSchema === null) return { kind: 'succeeded', output: text };
  const parsed = parseOutput(context, text);
  if (parsed.ok) return { kind: 'succeeded', output: parsed.value };
  if (context.conversation.loop.wasAskedToRepair)
    return failedStep(
      'output_invalid',
      `the answer does not fit agents.${plan.agent.name}.output_schema, also after one repair: ${parsed.detail}`,
    );
  const ask = `Your answer did not fit the required JSON Schema: ${parsed.detail}. Answer again with one JSON value that fits, and nothing else.`;
  await context.append([
    context.event('UserMessageReceived', ['repair', completed.data.call_no], {
      origin: 'user',
      injected: true,
      content: ask,
    }),
  ]);
  return null;
}

type ParsedOutput = { ok: true; value: Json } | { ok: false; detail: string };

function parseOutput({ plan, execution }: AgentContext, text: string): ParsedOutput {
  let value: Json;
  try {
    value = readJson(withoutFence(text));
  } catch {
    return { ok: false, detail: 'it is not JSON' };
  }
  const checked = execution.deps.tools.checkSchema(plan.agent.outputSchema ?? {}, value);
  return checked.ok ? { ok: true, value } : checked;
}

export function textOfMessage(message: AssistantMessage): string {
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}
