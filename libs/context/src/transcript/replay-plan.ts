import type { AssistantMessage, AssistantPart, Content, FinishReason, ToolResultStatus } from '#libs/domain';
import { isBlank } from '../shape/index.js';
import type { Transcript, TranscriptMessage } from './transcript.js';

type AssistantTurn = Extract<TranscriptMessage, { role: 'assistant' }>;
type ToolMessage = Extract<TranscriptMessage, { role: 'tool' }>;

/** What a recorded session says of one tool call; null in `ReplayCall.results`: it was never answered. */
export type ReplayResult = {
  messageIndex: number;
  status: Exclude<ToolResultStatus, 'pending'>;
  content: Content;
  /** What its placeholder shows of the call, where an export says it. */
  argument?: string | null;
};

export type ReplayOutcome =
  | { kind: 'completed'; message: AssistantMessage; finishReason: FinishReason }
  /** `partial`: what came before the failure; kept in the event, never shown. */
  | { kind: 'failed'; reason: 'aborted' | 'error' | 'empty'; detail: string; partial: AssistantMessage };

export type ReplayCall = {
  /** Counts the transcript's assistant messages from 1, failed ones too. */
  call: number;
  messageIndex: number;
  /** From 1 within its run. */
  callNo: number;
  /** The model that the recording names from here on; null while it names none. */
  model: string | null;
  outcome: ReplayOutcome;
  /** By the call's place in the answer. Empty for a failed call. */
  results: (ReplayResult | null)[];
};

export type ReplayRun = {
  /** Index of the user message that is the task; null where the session went on without one. */
  userIndex: number | null;
  task: Content;
  injected: boolean;
  calls: ReplayCall[];
  end: 'succeeded' | 'cancelled' | 'failed';
};

export type ReplayPlan = {
  systemPrompt: string | null;
  /** Every tool name that the session uses, sorted. */
  toolNames: string[];
  runs: ReplayRun[];
  /** Indices of results without a call that could have asked for them. */
  unusedResults: number[];
};

/** The task of a run that the session started without a user message. */
export const CONTINUE_TASK = '[continue]';

/**
 * What a recorded session does when it is played again. Each user message is the task of a run; each assistant message is
 * one model call. In this order:
 * 1. stopped by `aborted` or `error`, or neither text nor calls: a failed model call, never retried; the run ends
 *    `cancelled` (aborted, empty) or `failed` (error). 2. A call that was never answered: the run is cancelled there.
 * 3. Results followed by a user message: cancelled before the next call. 4. An answer where no run is under way: a new run
 *    with the task `[continue]`. 5. The session ends on a result: cancelled.
 */
export function replayPlan(transcript: Transcript): ReplayPlan {
  const { messages } = transcript;
  const prompt = promptLength(messages);
  const { resultsOf, unused } = pairResults(messages);
  const modelOf = modelsBy(transcript);
  const runs: ReplayRun[] = [];
  let open: ReplayRun | null = null;
  let call = 0;
  for (const [messageIndex, message] of messages.entries()) {
    if (message.role === 'tool' || messageIndex < prompt) continue;
    if (message.role !== 'assistant' || open === null) {
      open = newRun(message, messageIndex);
      runs.push(open);
      if (message.role !== 'assistant') continue;
    }
    call += 1;
    const outcome = outcomeOf(message);
    const results = outcome.kind === 'failed' ? [] : (resultsOf.get(messageIndex) ?? []);
    const answer: ReplayCall = {
      call,
      messageIndex,
      callNo: open.calls.length + 1,
      model: modelOf(messageIndex),
      outcome,
      results,
    };
    open.calls.push(answer);
    const end = endAfter(answer);
    if (end === null) continue;
    open.end = end;
    open = null;
  }
  const systemPrompt = promptOf(messages.slice(0, prompt));
  return { systemPrompt, toolNames: toolNamesOf(messages), runs, unusedResults: unused };
}

/** A run stays `cancelled` when nothing ends it otherwise (rules 3 and 5). */
function newRun(message: TranscriptMessage, messageIndex: number): ReplayRun {
  if (message.role === 'assistant')
    return { userIndex: null, task: CONTINUE_TASK, injected: false, calls: [], end: 'cancelled' };
  const injected = message.role === 'system' || message.meta?.injected === true;
  return { userIndex: messageIndex, task: message.content ?? '', injected, calls: [], end: 'cancelled' };
}

/** How a run ends with this call; null: it goes on. */
function endAfter(answer: ReplayCall): ReplayRun['end'] | null {
  if (answer.outcome.kind === 'failed') return answer.outcome.reason === 'error' ? 'failed' : 'cancelled';
  if (answer.outcome.finishReason === 'length') return 'failed';
  if (answer.results.some((result) => result === null)) return 'cancelled';
  return answer.results.length === 0 ? 'succeeded' : null;
}

function outcomeOf(message: AssistantTurn): ReplayOutcome {
  const parts = answerParts(message.content);
  const recorded: AssistantMessage = {
    content: parts,
    tool_calls: (message.tool_calls ?? []).map(({ id, name, arguments: given }) => ({ id, name, arguments: given })),
  };
  const stop = message.meta?.stop_reason ?? null;
  if (stop === 'aborted' || stop === 'error') {
    const why = message.meta?.error;
    return {
      kind: 'failed',
      reason: stop,
      detail: typeof why === 'string' ? why : `recorded as ${stop}`,
      partial: recorded,
    };
  }
  if (recorded.tool_calls.length === 0 && !parts.some(isSaid))
    return { kind: 'failed', reason: 'empty', detail: 'neither text nor calls', partial: recorded };
  const finishReason: FinishReason =
    stop === 'length' || stop === 'max_tokens' ? 'length' : recorded.tool_calls.length > 0 ? 'tool_calls' : 'stop';
  return { kind: 'completed', message: recorded, finishReason };
}

const isSaid = (part: AssistantPart): boolean =>
  part.type === 'text' ? !isBlank(part.text) : part.type === 'image' || part.type === 'other';

function answerParts(content: AssistantTurn['content']): AssistantPart[] {
  if (content === null || content === '') return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/**
 * Each result goes to the newest answer before it with an open call of that id, since ids repeat; a call's second result is
 * not used.
 */
function pairResults(messages: readonly TranscriptMessage[]): {
  resultsOf: Map<number, (ReplayResult | null)[]>;
  unused: number[];
} {
  const resultsOf = new Map<number, (ReplayResult | null)[]>();
  const openCalls = new Map<string, { answer: number; ordinal: number }[]>();
  const unused: number[] = [];
  messages.forEach((message, index) => {
    if (message.role === 'assistant') {
      const calls = message.tool_calls ?? [];
      resultsOf.set(
        index,
        calls.map(() => null),
      );
      for (const id of new Set(calls.map((call) => call.id))) {
        // In call order, the newest answer first: equal ids of one answer are served front to back.
        const own = calls.flatMap((call, ordinal) => (call.id === id ? [{ answer: index, ordinal }] : []));
        openCalls.set(id, [...own, ...(openCalls.get(id) ?? [])]);
      }
    } else if (message.role === 'tool') {
      const target = openCalls.get(message.tool_call_id)?.shift();
      const slots = target === undefined ? undefined : resultsOf.get(target.answer);
      if (target === undefined || slots === undefined) unused.push(index);
      else slots[target.ordinal] = resultFrom(message, index);
    }
  });
  return { resultsOf, unused };
}

function resultFrom(message: ToolMessage, messageIndex: number): ReplayResult {
  const { status, argument } = message.meta ?? {};
  return {
    messageIndex,
    status: status ?? (message.is_error === true ? 'error' : 'ok'),
    content: message.content ?? '',
    ...(argument === undefined ? {} : { argument }),
  };
}

/** The model in force at a message: the answer's own, else the last one named before it, by an answer or a change event. */
function modelsBy(transcript: Transcript): (messageIndex: number) => string | null {
  const named: (string | null)[] = [];
  let current: string | null = null;
  transcript.messages.forEach((message, index) => {
    for (const event of transcript.events)
      if (event.at === index && event.type === 'model_change' && typeof event.model === 'string') current = event.model;
    if (message.role === 'assistant' && typeof message.meta?.model === 'string') current = message.meta.model;
    named.push(current);
  });
  return (messageIndex) => named[messageIndex] ?? null;
}

/** Leading system messages are the agent's prompt; a later one is something a program put in. */
function promptLength(messages: readonly TranscriptMessage[]): number {
  const first = messages.findIndex((message) => message.role !== 'system');
  return first === -1 ? messages.length : first;
}

function promptOf(system: readonly TranscriptMessage[]): string | null {
  const texts = system.map(({ content }) =>
    typeof content === 'string'
      ? content
      : (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
  );
  const prompt = texts.filter((text) => !isBlank(text)).join('\n\n');
  return prompt === '' ? null : prompt;
}

function toolNamesOf(messages: readonly TranscriptMessage[]): string[] {
  const names = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []).map((call) => call.name) : [],
  );
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1));
}
