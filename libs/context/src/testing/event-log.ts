import {
  isEntryType,
  type AssistantPart,
  type Content,
  type EventData,
  type EventType,
  type FinishReason,
  type StoredEvent,
  type ToolCall,
} from '#libs/domain';
import { countCodePoints } from '../shape/index.js';

type Subject = { runId?: string | null; round?: number };
export type CallSketch = { name?: string; arguments?: string; id?: string };

/**
 * Writes a sub-stream for tests: seqs, entries and chars as the store would assign them. Nothing is checked, so states that
 * only a crash leaves can be written too.
 */
export class EventLog {
  readonly events: StoredEvent[] = [];
  private entries = 0;
  private callNo = 0;

  constructor(private readonly runId: string | null = 'run_1') {}

  append<T extends EventType>(type: T, data: EventData<T>, chars = 0, subject: Subject = {}): this {
    const seq = this.events.length + 1;
    const entry = isEntryType(type) ? (this.entries += 1) : null;
    const event = {
      type,
      data,
      streamId: 's:step:agent',
      seq,
      position: seq,
      cursor: `0-${seq}`,
      eventId: `event-${seq}`,
      schemaVersion: 1,
      entry,
      chars,
      digest: `digest-${seq}`,
      recordedAt: '2026-01-01T00:00:00Z',
      runId: this.runId,
      stepId: 'agent',
      item: null,
      round: 0,
      ...subject,
    };
    this.events.push(event as unknown as StoredEvent);
    return this;
  }

  user(content: Content, origin: 'task' | 'user' | 'import' = 'user', subject: Subject = {}): this {
    return this.append(
      'UserMessageReceived',
      { origin, content },
      typeof content === 'string' ? countCodePoints(content) : 0,
      subject,
    );
  }

  answer(
    content: string | AssistantPart[],
    calls: CallSketch[] = [],
    options: { finish?: FinishReason; model?: string; callNo?: number } & Subject = {},
  ): this {
    const {
      finish = calls.length > 0 ? 'tool_calls' : 'stop',
      model = 'test:model',
      callNo = this.callNo + 1,
      ...subject
    } = options;
    this.callNo = callNo;
    const toolCalls: ToolCall[] = calls.map((call, ordinal) => ({
      id: call.id ?? `call_${ordinal}`,
      name: call.name ?? 'search',
      arguments: call.arguments ?? '{"q":"x"}',
    }));
    const parts: AssistantPart[] =
      typeof content !== 'string' ? content : content === '' ? [] : [{ type: 'text', text: content }];
    const chars =
      parts.reduce((sum, part) => sum + (part.type === 'text' ? countCodePoints(part.text) : 0), 0) +
      toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
    return this.append(
      'LlmCallCompleted',
      {
        call_no: callNo,
        try: 1,
        model,
        message: { content: parts, tool_calls: toolCalls },
        finish_reason: finish,
        usage: null,
        cost_usd: null,
        wire_hash: null,
      },
      chars,
      subject,
    );
  }

  /** A result of the newest answer's call, unless `callNo` names another. */
  result(
    ordinal: number,
    content: Content,
    options: {
      status?: EventData<'ToolCallCompleted'>['status'];
      callNo?: number;
      name?: string;
      id?: string;
    } & Subject = {},
  ): this {
    const { status = 'ok', callNo = this.callNo, name = 'search', id = `call_${ordinal}`, ...subject } = options;
    const chars = typeof content === 'string' ? countCodePoints(content) : 0;
    return this.append(
      'ToolCallCompleted',
      { call_no: callNo, ordinal, tool_call_id: id, name, status, content, argument: 'x' },
      chars,
      subject,
    );
  }

  interrupted(reason: 'cancelled' | 'failed' | 'timed_out' = 'cancelled'): this {
    return this.append('ConversationInterrupted', { reason });
  }
}
