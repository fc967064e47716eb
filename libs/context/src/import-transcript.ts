import type { AssistantMessage, EventInput, EventType } from '#libs/domain';
import { callArgument } from './shape/index.js';
import { exportedEntry } from './transcript/exported-entry.js';
import {
  replayPlan,
  type ReplayCall,
  type ReplayOutcome,
  type ReplayPlan,
  type ReplayRun,
} from './transcript/replay-plan.js';
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
      | 'DocumentsProvided'
      | 'MemoryShown'
      | 'LlmCallCompleted'
      | 'LlmCallFailed'
      | 'ToolCallRequested'
      | 'ToolCallCompleted'
      | 'ConversationInterrupted'
  ]: { type: T; data: EventInput<T> };
};
type EventOf = Data[keyof Data & EventType];
/**
 * `key`: which message of the transcript, and what of it, says so; an event made of the same place has the same one. Places
 * count what people and models said: a system message more or less moves none, and whoever speaks at one, it is the same.
 */
type Placed = EventOf & { key: readonly (string | number)[] };
/**
 * An event to append, in order. `run` counts the runs of the recording from 0. `call` stands where a model call begins: the
 * place to build its context, before the events that follow.
 */
export type ImportedEvent = { run: number } & Placed;
export type ImportStep =
  | { kind: 'event'; event: ImportedEvent }
  | { kind: 'call'; run: number; call: ReplayCall; callNo: number; model: string };

/**
 * The one way from a recorded session to conversation events: preview, replay and import all read it through this.
 * `origin: import` stores what was said and nothing else: no task is made up where the session went on without one,
 * empty answers stay entries, results keep their order, and what an export noted of an entry is taken up again.
 */
export function importTranscript(
  transcript: Transcript,
  options: ImportOptions,
): { plan: ReplayPlan; steps: ImportStep[] } {
  const plan = replayPlan(transcript);
  const placeOf = placesOf(transcript);
  let before = 0;
  const steps = plan.runs.flatMap((run, index) => {
    const offset = options.callNumbers === 'run' ? 0 : before;
    before += run.calls.length;
    return runSteps({ transcript, placeOf }, run, offset, options).map((step): ImportStep => {
      if (step.kind === 'event') return { kind: 'event', event: { run: index, ...step.event } };
      return { ...step, run: index };
    });
  });
  return { plan, steps };
}

type Source = { transcript: Transcript; placeOf: (messageIndex: number) => number };

function placesOf({ messages }: Transcript): Source['placeOf'] {
  let said = 0;
  const places = messages.map(({ role }) => (role === 'user' || role === 'assistant' ? said++ : said));
  return (messageIndex) => places[messageIndex] ?? said;
}

type RunStep = { kind: 'event'; event: Placed } | { kind: 'call'; call: ReplayCall; callNo: number; model: string };

function runSteps(source: Source, run: ReplayRun, offset: number, options: ImportOptions): RunStep[] {
  const steps: RunStep[] = openingOf(source, run, options).map(asStep);
  for (const call of run.calls) {
    const callNo = offset + call.callNo;
    const model = call.model ?? options.model;
    steps.push({ kind: 'call', call, callNo, model }, ...callEvents(source, call, callNo, model, options).map(asStep));
  }
  const reason = interruptionOf(source.transcript, run, options);
  const key = ['interrupted', source.placeOf(run.calls.at(-1)?.messageIndex ?? run.userIndex ?? 0)];
  if (reason !== null) steps.push(asStep({ type: 'ConversationInterrupted', data: { reason }, key }));
  return steps;
}

const asStep = (event: Placed): RunStep => ({ kind: 'event', event });

function openingOf({ transcript, placeOf }: Source, run: ReplayRun, { origin }: ImportOptions): Placed[] {
  const key =
    run.userIndex === null ? ['before', placeOf(run.calls[0]?.messageIndex ?? 0)] : ['said', placeOf(run.userIndex)];
  const injected = run.injected ? { injected: true } : {};
  if (origin === 'task')
    return [{ type: 'UserMessageReceived', data: { origin, content: run.task, ...injected }, key }];
  if (run.userIndex === null) return [];
  const exported = exportedEntry(transcript.messages[run.userIndex]);
  if (exported !== null) return [{ ...exported, key }];
  return [{ type: 'UserMessageReceived', data: { origin, content: run.task, ...injected }, key }];
}

/** An import keeps how the conversation was interrupted where the transcript says it; one without an answer was not. */
function interruptionOf(
  transcript: Transcript,
  run: ReplayRun,
  { origin }: ImportOptions,
): EventInput<'ConversationInterrupted'>['reason'] | null {
  if (run.end === 'succeeded' || (origin === 'import' && run.calls.length === 0)) return null;
  if (origin === 'task') return run.end;
  const last = Math.max(
    ...run.calls.flatMap((call) => [call.messageIndex, ...call.results.map((result) => result?.messageIndex ?? 0)]),
  );
  const noted = transcript.events.find(({ at, type }) => type === 'interrupted' && at === last + 1);
  return noted?.reason ?? run.end;
}

function callEvents(
  { placeOf }: Source,
  call: ReplayCall,
  callNo: number,
  model: string,
  { origin }: ImportOptions,
): Placed[] {
  const place = placeOf(call.messageIndex);
  const outcome = origin === 'import' ? asSaid(call.outcome) : call.outcome;
  const subject = { call_no: callNo, try: 1, model, usage: null, cost_usd: null };
  const key = ['said', place];
  if (outcome.kind === 'failed') {
    const { reason, detail: why, partial } = outcome;
    const failure = { class: 'recorded_failure', detail: `${reason}: ${why}`, retryable: false, partial };
    return [{ type: 'LlmCallFailed', data: { ...subject, ...failure }, key }];
  }
  const { message, finishReason } = outcome;
  const data = { ...subject, message, finish_reason: finishReason, wire_hash: null };
  return [{ type: 'LlmCallCompleted', data, key }, ...toolEvents(call, callNo, message, origin, place)];
}

/** An answer with nothing in it was given all the same: what is built from the stream leaves it out. */
const asSaid = (outcome: ReplayOutcome): ReplayOutcome =>
  outcome.kind === 'failed' && outcome.reason === 'empty'
    ? { kind: 'completed', message: outcome.partial, finishReason: 'stop' }
    : outcome;

function toolEvents(
  call: ReplayCall,
  callNo: number,
  message: AssistantMessage,
  origin: ImportOptions['origin'],
  place: number,
): Placed[] {
  const requested = message.tool_calls.map((toolCall, ordinal) => ({
    type: 'ToolCallRequested' as const,
    data: { call_no: callNo, ordinal, tool_call: toolCall },
    key: ['request', place, ordinal],
  }));
  const completed = message.tool_calls.flatMap((toolCall, ordinal) => {
    const result = call.results[ordinal] ?? null;
    if (result === null) return [];
    const { id, name, arguments: given } = toolCall;
    const { content, argument = callArgument(given, null) } = result;
    // Playing a recording again asks nobody, so nothing is denied or cancelled in it.
    const status = origin === 'import' || result.status === 'ok' ? result.status : 'error';
    const data = { call_no: callNo, ordinal, tool_call_id: id, name, status, content, argument };
    const key = ['result', place, ordinal];
    return [{ at: result.messageIndex, event: { type: 'ToolCallCompleted' as const, data, key } }];
  });
  const ordered = origin === 'import' ? completed.toSorted((one, other) => one.at - other.at) : completed;
  return [...requested, ...ordered.map(({ event }) => event)];
}
