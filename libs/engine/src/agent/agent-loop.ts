import type { AgentLoopSnapshot, EventSubject, StoredEvent, StoredEventOf, ToolCall } from '#libs/domain';
import { repeatKey, type CallResult } from '../call-tools/repeated-calls.js';
import { afterFailure, FIRST_MODEL, type ModelStanding } from './choose-model.js';

export type CallEvent =
  StoredEventOf<'LlmCallStarted'> | StoredEventOf<'LlmCallCompleted'> | StoredEventOf<'LlmCallFailed'>;

/** What became so far of one tool call of the last answer. */
export type ToolCallStanding = {
  /** How often it was started. */
  starts: number;
  /** Its tool answered that the real result comes later. */
  isAwaited: boolean;
  isEnded: boolean;
};

/**
 * Where the loop of an agent step stands, folded from its own events one by one: what comes next needs none of the older
 * ones. `LlmCallStarted` carries a snapshot of it. Law: folding on from any snapshot = folding from the first event.
 */
export class AgentLoop {
  /** The newest event about a model call. */
  lastCall: CallEvent | null = null;
  /** The conversation was interrupted since. */
  isInterrupted = false;
  /** A user message of the step itself came since. */
  isAskedAgain = false;
  /** By ordinal: the calls of the last answer. */
  readonly toolCalls = new Map<number, ToolCallStanding>();
  /** The newest call was the last one of its exchange: no tool might be called in its answer. */
  isWithoutTools = false;
  turns = 0;
  /** Tool calls since the last user message; those of the last answer among them. */
  exchangeCalls = 0;
  exchangeCallsOfAnswer = 0;
  wasAskedToRepair = false;
  private standing: ModelStanding = FIRST_MODEL;
  private streak: AgentLoopSnapshot['streak'] = null;
  private readonly requested = new Map<number, ToolCall>();

  /** `models`: how many the agent has. */
  constructor(
    private readonly subject: EventSubject,
    private readonly models: number,
  ) {}

  /** The state in which this call was started; null: the call carries none. */
  static at(started: StoredEventOf<'LlmCallStarted'>, subject: EventSubject, models: number): AgentLoop | null {
    const snapshot = started.data.loop;
    if (snapshot === undefined) return null;
    const loop = new AgentLoop(subject, models);
    loop.turns = snapshot.turns;
    loop.standing = { index: snapshot.model_index, overloads: snapshot.overloads };
    loop.exchangeCalls = snapshot.exchange_calls;
    loop.streak = snapshot.streak;
    loop.wasAskedToRepair = snapshot.repaired;
    return loop;
  }

  snapshot(): AgentLoopSnapshot {
    return {
      turns: this.turns,
      model_index: this.standing.index,
      overloads: this.standing.overloads,
      exchange_calls: this.exchangeCalls,
      streak: this.streak,
      repaired: this.wasAskedToRepair,
    };
  }

  /** Index of the model that answers the next call, also if the last one had failed so. */
  modelIndex(failed: string | null = null): number {
    return (failed === null ? this.standing : afterFailure(this.standing, failed, this.models)).index;
  }

  /** How often in a row, this one included, the same call had the same result. */
  countRepeats(call: ToolCall, result: CallResult): number {
    return this.streak?.key === repeatKey(call, result) ? this.streak.count + 1 : 1;
  }

  /** The next events of the log, in order; those of other runs, items and rounds are passed over. */
  append(events: readonly StoredEvent[]): void {
    for (const event of events) if (isOwn(event, this.subject)) this.add(event);
  }

  private add(event: StoredEvent): void {
    if (event.type === 'LlmCallStarted' || event.type === 'LlmCallFailed' || event.type === 'LlmCallCompleted')
      this.addCall(event);
    else if (event.type === 'ConversationInterrupted') this.isInterrupted = true;
    else if (event.type === 'UserMessageReceived') this.addUserMessage(event);
    else if (event.type === 'ToolCallRequested') this.addRequest(event);
    else if (event.type === 'ToolCallStarted') this.standingOf(event.data, (call) => (call.starts += 1));
    else if (event.type === 'ToolCallCompleted') this.addResult(event);
  }

  private addCall(event: CallEvent): void {
    this.lastCall = event;
    this.isInterrupted = false;
    this.isAskedAgain = false;
    this.toolCalls.clear();
    this.requested.clear();
    this.exchangeCallsOfAnswer = 0;
    if (event.type === 'LlmCallStarted') this.isWithoutTools = event.data.tool_choice === 'none';
    if (event.type === 'LlmCallFailed') this.standing = afterFailure(this.standing, event.data.class, this.models);
    if (event.type !== 'LlmCallCompleted') return;
    this.turns += 1;
    this.standing = { ...this.standing, overloads: 0 };
  }

  private addUserMessage({ data }: StoredEventOf<'UserMessageReceived'>): void {
    this.isAskedAgain = true;
    // What the loop itself asks begins no exchange.
    const isRepair = data.origin === 'user' && data.injected === true;
    this.wasAskedToRepair ||= isRepair;
    if (isRepair) return;
    this.exchangeCalls = 0;
    this.exchangeCallsOfAnswer = 0;
  }

  private addRequest({ data }: StoredEventOf<'ToolCallRequested'>): void {
    this.exchangeCalls += 1;
    if (!this.isOfAnswer(data.call_no)) return;
    this.exchangeCallsOfAnswer += 1;
    this.requested.set(data.ordinal, data.tool_call);
  }

  private addResult({ data }: StoredEventOf<'ToolCallCompleted'>): void {
    const call = this.isOfAnswer(data.call_no) ? this.requested.get(data.ordinal) : undefined;
    const key = call === undefined ? null : repeatKey(call, data);
    this.streak = key === null ? null : { key, count: this.streak?.key === key ? this.streak.count + 1 : 1 };
    this.standingOf(data, (standing) => {
      if (data.status === 'pending') standing.isAwaited = true;
      else standing.isEnded = true;
    });
  }

  private standingOf(
    { call_no: callNo, ordinal }: { call_no: number; ordinal: number },
    change: (standing: ToolCallStanding) => void,
  ): void {
    if (!this.isOfAnswer(callNo)) return;
    const standing = this.toolCalls.get(ordinal) ?? { starts: 0, isAwaited: false, isEnded: false };
    change(standing);
    this.toolCalls.set(ordinal, standing);
  }

  private isOfAnswer(callNo: number): boolean {
    return this.lastCall?.type === 'LlmCallCompleted' && this.lastCall.data.call_no === callNo;
  }
}

const isOwn = (event: StoredEvent, { runId, stepId, item, round }: EventSubject): boolean =>
  event.runId === runId && event.stepId === stepId && event.item === item && event.round === round;
