import type { AssistantMessage, EventInput, EventType } from '#libs/domain';
import { callArgument } from './shape/index.js';
import { replayPlan, type ReplayCall, type ReplayPlan, type ReplayRun } from './transcript/replay-plan.js';
import type { Transcript } from './transcript/transcript.js';

export type ImportOptions = {
  /** Origin of the user messages: `task` as a replay writes them, `import` for a conversation that was led elsewhere. */
  origin: 'task' | 'import';
  /** Names the model where the recording names none. */
  model: string;
  /** `run`: call numbers begin anew with each run; `import`: they go on, for events that belong to no run. */
  callNumbers: 'run' | 'import';
};

type Data = {
  [
    T in
      | 'UserMessageReceived'
      | 'LlmCallCompleted'
      | 'LlmCallFailed'
      | 'ToolCallRequested'
      | 'ToolCallCompleted'
      | 'ConversationInterrupted'
  ]: { type: T; data: EventInput<T> };
};
/**
 * An event to append, in order. `run` counts the runs of the recording from 0. `call` stands where a model call begins: the
 * place to build its context, before the events that follow.
 */
export type ImportedEvent = { run: number } & Data[keyof Data & EventType];
export type ImportStep =
  | { kind: 'event'; event: ImportedEvent }
  | { kind: 'call'; run: number; call: ReplayCall; callNo: number; model: string };

/** The one way from a recorded session to conversation events: preview, replay and import all read it through this. */
export function importTranscript(
  transcript: Transcript,
  options: ImportOptions,
): { plan: ReplayPlan; steps: ImportStep[] } {
  const plan = replayPlan(transcript);
  let before = 0;
  const steps = plan.runs.flatMap((run, index) => {
    const offset = options.callNumbers === 'run' ? 0 : before;
    before += run.calls.length;
    return runSteps(run, index, offset, options);
  });
  return { plan, steps };
}

function runSteps(run: ReplayRun, index: number, offset: number, options: ImportOptions): ImportStep[] {
  const event = (imported: Data[keyof Data & EventType]): ImportStep => ({
    kind: 'event',
    event: { run: index, ...imported },
  });
  const steps: ImportStep[] = [
    event({
      type: 'UserMessageReceived',
      data: { origin: options.origin, content: run.task, ...(run.injected ? { injected: true } : {}) },
    }),
  ];
  for (const call of run.calls) {
    const callNo = offset + call.callNo;
    const model = call.model ?? options.model;
    steps.push({ kind: 'call', run: index, call, callNo, model }, ...callEvents(call, callNo, model).map(event));
  }
  if (run.end !== 'succeeded') steps.push(event({ type: 'ConversationInterrupted', data: { reason: run.end } }));
  return steps;
}

function callEvents(call: ReplayCall, callNo: number, model: string): Data[keyof Data & EventType][] {
  const { outcome } = call;
  const subject = { call_no: callNo, try: 1, model, usage: null, cost_usd: null };
  if (outcome.kind === 'failed') {
    return [
      {
        type: 'LlmCallFailed',
        data: {
          ...subject,
          class: 'recorded_failure',
          detail: `${outcome.reason}: ${outcome.detail}`,
          retryable: false,
          partial: outcome.partial,
        },
      },
    ];
  }
  const { message, finishReason } = outcome;
  return [
    { type: 'LlmCallCompleted', data: { ...subject, message, finish_reason: finishReason, wire_hash: null } },
    ...toolEvents(call, callNo, message),
  ];
}

function toolEvents(call: ReplayCall, callNo: number, message: AssistantMessage): Data[keyof Data & EventType][] {
  const requested = message.tool_calls.map((toolCall, ordinal) => ({
    type: 'ToolCallRequested' as const,
    data: { call_no: callNo, ordinal, tool_call: toolCall },
  }));
  const completed = message.tool_calls.flatMap((toolCall, ordinal) => {
    const result = call.results[ordinal] ?? null;
    if (result === null) return [];
    const { id, name, arguments: given } = toolCall;
    return [
      {
        type: 'ToolCallCompleted' as const,
        data: {
          call_no: callNo,
          ordinal,
          tool_call_id: id,
          name,
          status: result.status,
          content: result.content,
          argument: callArgument(given, null),
        },
      },
    ];
  });
  return [...requested, ...completed];
}
