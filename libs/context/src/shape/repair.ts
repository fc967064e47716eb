import type { Content, ContentPart, ViewEvent, ViewEventOf } from '#libs/domain';
import type {
  AssistantEntry,
  ConversationEntry,
  FinalStatus,
  LeftOut,
  Repair,
  RepairedConversation,
  RepairRule,
  ResultEntry,
} from './conversation.js';
import { countCodePoints } from './cut-text.js';
import { isBlank } from './well-formed.js';

/** What a call without a recorded result shows; part of every prompt, so never reworded without a new builder version. */
export const CANCELLED_RESULT = '[cancelled]';
export const INTERRUPTED_RESULT = '[interrupted: no result was recorded]';

type Completed = ViewEventOf<'ToolCallCompleted'>;
type OpenTurn = { assistant: AssistantEntry; results: (Completed | null)[]; cancelled: boolean; closed: boolean };
type Slot = { turn: OpenTurn } | { entry: ConversationEntry };

/**
 * By call number: the turn that the answer began, or the rule that left it or its calls out, and their results with them. The
 * newest answer wins, since imports may use a number twice.
 */
type Answers = Map<number, OpenTurn | RepairRule>;

type Reading = {
  slots: Slot[];
  /** Call numbers count per step and run, so a sub-stream's calls are told apart by run and round. */
  runs: Map<string, Answers>;
  /** Those of the last answer or result: the next is mostly of the same run. */
  newest: { runId: string | null; round: number; answers: Answers } | null;
  last: OpenTurn | null;
  leftOut: LeftOut[];
  repairs: Repair[];
};

/**
 * Reads the events of one sub-stream (ascending seq, any subset, any state a crash may leave) as a conversation in which
 * every call has exactly one result, directly behind its answer and in call order. Never throws for what is stored, never
 * changes its input; the stored stream stays as it is. Documented in design/context.md, "shape".
 */
export function repairConversation(events: readonly ViewEvent[]): RepairedConversation {
  const reading: Reading = { slots: [], runs: new Map(), newest: null, last: null, leftOut: [], repairs: [] };
  for (const event of events) readEvent(reading, event);
  const entries: ConversationEntry[] = [];
  for (const slot of reading.slots) {
    if ('entry' in slot) entries.push(slot.entry);
    else entries.push(slot.turn.assistant, ...resultsOf(slot.turn, reading.repairs));
  }
  return { entries, leftOut: reading.leftOut, repairs: reading.repairs };
}

function readEvent(reading: Reading, event: ViewEvent): void {
  if (event.type === 'ConversationInterrupted' || event.type === 'RunCancelled') {
    if (reading.last !== null && (event.type === 'RunCancelled' || event.data.reason === 'cancelled'))
      reading.last.cancelled = true;
    return;
  }
  if (event.entry === null) return;
  if (event.type === 'EventErased') return void reading.leftOut.push({ entry: event.entry, rule: 'erased' });
  const origin = { entry: event.entry, seq: event.seq, runId: event.runId, chars: event.chars };
  if (event.type === 'UserMessageReceived') {
    const { origin: from, content, injected = false, reissued = false } = event.data;
    pushSlot(reading, {
      entry: { ...origin, kind: 'user', origin: from, injected, reissued, content: partsOf(content) },
    });
  } else if (event.type === 'DocumentsProvided') {
    pushSlot(reading, {
      entry: { ...origin, kind: 'documents', name: event.data.name ?? null, content: partsOf(event.data.content) },
    });
  } else if (event.type === 'MemoryShown') {
    pushSlot(reading, {
      entry: { ...origin, kind: 'memory', memory: event.data.memory, memorySeq: event.data.memory_seq },
    });
  } else if (event.type === 'LlmCallCompleted') {
    readAnswer(reading, event, event.entry);
  } else if (event.type === 'ToolCallCompleted') {
    readResult(reading, event, event.entry);
  }
}

/** Whatever comes behind a turn closes it: a result that comes later still is a late one. */
function pushSlot(reading: Reading, slot: Slot): void {
  if (reading.last !== null) reading.last.closed = true;
  reading.slots.push(slot);
}

function readAnswer(reading: Reading, event: ViewEventOf<'LlmCallCompleted'>, entry: number): void {
  const { message, finish_reason: finish, model, call_no: callNo } = event.data;
  if (finish === 'aborted' || finish === 'error')
    return leaveOutAnswer(reading, event, entry, 'failed_answer', `the answer ended with ${finish}`);
  const isCut = finish === 'length' && message.tool_calls.length > 0;
  const calls = isCut ? [] : message.tool_calls;
  if (calls.length === 0 && !message.content.some(isSaid)) {
    return leaveOutAnswer(reading, event, entry, 'empty_answer', 'the answer has neither text nor calls');
  }
  if (isCut) {
    reading.repairs.push({
      rule: 'cut_calls',
      entries: [entry],
      detail: `${message.tool_calls.length} call(s) of an answer that was cut by length`,
    });
  }
  const assistant: AssistantEntry = {
    entry,
    seq: event.seq,
    runId: event.runId,
    chars: event.chars,
    kind: 'assistant',
    callNo,
    model,
    content: message.content,
    calls,
  };
  const turn: OpenTurn = { assistant, results: calls.map(() => null), cancelled: false, closed: false };
  pushSlot(reading, { turn });
  reading.last = turn;
  answersOf(reading, event).set(callNo, isCut ? 'cut_calls' : turn);
}

function leaveOutAnswer(
  reading: Reading,
  event: ViewEventOf<'LlmCallCompleted'>,
  entry: number,
  rule: RepairRule,
  detail: string,
): void {
  reading.leftOut.push({ entry, rule });
  reading.repairs.push({ rule, entries: [entry], detail });
  answersOf(reading, event).set(event.data.call_no, rule);
}

function readResult(reading: Reading, event: Completed, entry: number): void {
  const turn = answersOf(reading, event).get(event.data.call_no);
  if (typeof turn === 'string')
    return leaveOutResult(reading, entry, turn, 'the answer that made the call is not shown');
  const first = turn?.results[event.data.ordinal];
  if (turn === undefined || first === undefined)
    return leaveOutResult(
      reading,
      entry,
      'orphan_result',
      `no call ${event.data.call_no}.${event.data.ordinal} made by an answer before it`,
    );
  // A pending result says that the final one is on its way: it is nothing to show, and nothing that went wrong.
  if (event.data.status === 'pending') return void reading.leftOut.push({ entry, rule: 'duplicate_result' });
  if (first !== null)
    return leaveOutResult(reading, entry, 'duplicate_result', `the call has its final result at #${first.entry}`);
  turn.results[event.data.ordinal] = event;
  if (turn.closed)
    reading.repairs.push({
      rule: 'late_result',
      entries: [entry],
      detail: `shown behind its call at #${turn.assistant.entry}`,
    });
}

function leaveOutResult(reading: Reading, entry: number, rule: RepairRule, detail: string): void {
  reading.leftOut.push({ entry, rule });
  reading.repairs.push({ rule, entries: [entry], detail });
}

function resultsOf(turn: OpenTurn, repairs: Repair[]): ResultEntry[] {
  const { assistant, results, cancelled } = turn;
  return assistant.calls.map((call, ordinal) => {
    const identity = { entry: assistant.entry, ordinal };
    const event = results[ordinal] ?? null;
    if (event !== null) return recordedResult(event, identity, call.name);
    const text = cancelled ? CANCELLED_RESULT : INTERRUPTED_RESULT;
    repairs.push({
      rule: 'unanswered_call',
      entries: [assistant.entry],
      detail: `call ${ordinal} (${call.name}) shows ${text}`,
    });
    return {
      kind: 'result',
      entry: null,
      seq: null,
      runId: assistant.runId,
      chars: countCodePoints(text),
      call: identity,
      name: call.name,
      status: cancelled ? 'cancelled' : 'error',
      content: [{ type: 'text', text }],
      isOutline: false,
      argument: null,
    };
  });
}

function recordedResult(event: Completed, call: { entry: number; ordinal: number }, name: string): ResultEntry {
  const { status, content, argument } = event.data;
  return {
    kind: 'result',
    entry: event.entry,
    seq: event.seq,
    runId: event.runId,
    chars: event.chars,
    call,
    name,
    status: finalStatus(status),
    content: partsOf(content),
    isOutline: event.isOutline === true,
    argument,
  };
}

/** `readResult` keeps no pending result; the type cannot say so. */
const finalStatus = (status: Completed['data']['status']): FinalStatus => (status === 'pending' ? 'error' : status);

function answersOf(reading: Reading, { runId, round }: { runId: string | null; round: number }): Answers {
  const { newest, runs } = reading;
  if (newest !== null && newest.runId === runId && newest.round === round) return newest.answers;
  const key = `${runId ?? ''}/${round}`;
  const answers = runs.get(key) ?? new Map<number, OpenTurn | RepairRule>();
  runs.set(key, answers);
  reading.newest = { runId, round, answers };
  return answers;
}

const partsOf = (content: Content): ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

type Said = ViewEventOf<'LlmCallCompleted'>['data']['message']['content'][number];

/** Something a reader would see: reasoning alone is no answer. */
function isSaid(part: Said): boolean {
  switch (part.type) {
    case 'text':
      return !isBlank(part.text);
    case 'image':
    case 'other':
      return true;
    case 'thinking':
    case 'redacted_thinking':
    case 'opaque':
      return false;
  }
}
