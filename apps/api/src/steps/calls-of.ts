import type { StoredEvent, StoredEventOf, Usage } from '#libs/domain';
import type { Call } from './step.schema.js';

/** Event types that tell of a step's model calls. */
export const CALL_EVENTS = [
  'LlmCallStarted',
  'LlmCallCompleted',
  'LlmCallFailed',
  'ToolCallRequested',
  'ToolCallCompleted',
] as const;

/** Model calls of a step in one run, every try of them, in the order in which they were sent. */
export function callsOf(runId: string, stepId: string, item: number | null, events: readonly StoredEvent[]): Call[] {
  return events.flatMap((event) =>
    event.type === 'LlmCallStarted' ? [toCall({ runId, stepId, item }, event, events)] : [],
  );
}

type Place = { runId: string; stepId: string; item: number | null };

function toCall(place: Place, started: StoredEventOf<'LlmCallStarted'>, events: readonly StoredEvent[]): Call {
  const { data, round } = started;
  // Each round of a repeated step counts its calls from 1.
  const own = events.filter((event) => event.round === round);
  const completed = own.find((event) => event.type === 'LlmCallCompleted' && isOf(data, event.data));
  const failed = own.find((event) => event.type === 'LlmCallFailed' && isOf(data, event.data));
  const base = {
    run_id: place.runId,
    step_id: place.stepId,
    item: place.item,
    round,
    call: data.call_no,
    try: data.try,
    model: data.model,
    message_count: data.message_count,
    chars: data.approx_context_chars,
    tokens: data.approx_context_tokens,
    upto_seq: data.upto_seq,
    policy_hash: data.policy_hash,
    context_hash: data.context_hash,
    started_at: started.recordedAt,
  };
  if (completed?.type === 'LlmCallCompleted') return { ...base, ...completion(completed, own) };
  if (failed?.type === 'LlmCallFailed') return { ...base, ...failure(failed) };
  return {
    ...base,
    status: 'started',
    wire_hash: null,
    finish_reason: null,
    usage: null,
    cost_usd: null,
    error: null,
    tool_calls: [],
    ended_at: null,
  };
}

type Tried = { call_no: number; try: number };
const isOf = (started: Tried, other: Tried): boolean => started.call_no === other.call_no && started.try === other.try;

type Ended = Pick<
  Call,
  'status' | 'wire_hash' | 'finish_reason' | 'usage' | 'cost_usd' | 'error' | 'tool_calls' | 'ended_at'
>;

function completion({ data, recordedAt }: StoredEventOf<'LlmCallCompleted'>, events: readonly StoredEvent[]): Ended {
  return {
    status: 'completed',
    wire_hash: data.wire_hash,
    finish_reason: data.finish_reason,
    usage: usageOf(data.usage),
    cost_usd: data.cost_usd,
    error: null,
    tool_calls: toolCallsOf(data.call_no, events),
    ended_at: recordedAt,
  };
}

function failure({ data, recordedAt }: StoredEventOf<'LlmCallFailed'>): Ended {
  return {
    status: 'failed',
    wire_hash: null,
    finish_reason: null,
    usage: usageOf(data.usage),
    cost_usd: data.cost_usd,
    error: { class: data.class, detail: data.detail },
    tool_calls: [],
    ended_at: recordedAt,
  };
}

function toolCallsOf(callNo: number, events: readonly StoredEvent[]): Call['tool_calls'] {
  return events.flatMap((event) => {
    if (event.type !== 'ToolCallRequested' || event.data.call_no !== callNo) return [];
    const { ordinal, tool_call } = event.data;
    // `pending` is not final: of several results of a call the first final one counts.
    const results = events.flatMap((other) =>
      other.type === 'ToolCallCompleted' && other.data.call_no === callNo && other.data.ordinal === ordinal
        ? [other.data.status]
        : [],
    );
    return [
      { ordinal, name: tool_call.name, status: results.find((status) => status !== 'pending') ?? results[0] ?? null },
    ];
  });
}

function usageOf(usage: Usage | null): Call['usage'] {
  if (usage === null) return null;
  return { input_tokens: usage.input_tokens, cached_tokens: usage.cached_tokens, output_tokens: usage.output_tokens };
}
