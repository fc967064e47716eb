import { createHash } from 'node:crypto';
import {
  entryChars,
  type CompactionProposal,
  type EventBody,
  type ReadyBuild,
} from '../../../libs/context/src/index.js';
import { isEntryType, type EventData, type EventType, type StoredEvent } from '../../../libs/domain/src/index.js';

export const RUN = 'run_bench';
export const STREAM = 'bench:step:work';

/** The events of one long run of tool calls, as an engine would store them. It keeps none of them: whoever asks gets the new ones. */
export class SessionLog {
  private seq = 0;
  private entries = 0;
  private calls = 0;
  private fresh: StoredEvent[] = [];

  get length(): number {
    return this.seq;
  }

  /** What was appended since the last time. */
  take(): StoredEvent[] {
    return this.fresh.splice(0);
  }

  user(content: string): void {
    this.append('UserMessageReceived', { origin: 'task', content });
  }

  /** The call that sends this build, its answer with one tool call, and the result. */
  turn(build: ReadyBuild, policyHash: string, say: string, output: string): void {
    this.calls += 1;
    const place = { call_no: this.calls, ordinal: 0 };
    this.append('LlmCallStarted', {
      call_no: this.calls,
      try: 1,
      model: 'test:model',
      message_count: build.messages.length,
      approx_context_chars: build.chars,
      approx_context_tokens: build.tokens,
      upto_seq: this.seq,
      policy_hash: policyHash,
      context_hash: '',
      manifest: 'manifest',
      frontier: build.frontier,
      report: build.report,
      tool_choice: 'auto',
    });
    const toolCall = {
      id: `call_${this.calls}`,
      name: 'read',
      arguments: JSON.stringify({ path: `src/${this.calls}.ts` }),
    };
    this.append('LlmCallCompleted', {
      call_no: this.calls,
      try: 1,
      model: 'test:model',
      message: { content: [{ type: 'text', text: say }], tool_calls: [toolCall] },
      finish_reason: 'tool_calls',
      usage: { input_tokens: build.tokens, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 60 },
      cost_usd: null,
      wire_hash: null,
    });
    this.append('ToolCallRequested', { ...place, tool_call: toolCall });
    this.append('ToolCallStarted', { ...place, try: 1, name: 'read', effect: 'read_only', idempotency_key: null });
    this.append('ToolCallCompleted', {
      ...place,
      tool_call_id: toolCall.id,
      name: 'read',
      status: 'ok',
      content: output,
      argument: `src/${this.calls}.ts`,
    });
  }

  /** The compaction of a proposal from request to end. */
  compaction(proposal: CompactionProposal, summary: string): void {
    const shared = {
      compaction_id: `cmp_${this.seq}`,
      view_run_id: proposal.viewRunId,
      cutoff_seq: proposal.cutoffSeq,
      entries: [...proposal.entries] as [number, number],
      supersedes: proposal.supersedes,
      policy_hash: '',
    };
    const range: [number, number] = [...proposal.range];
    this.append('CompactionRequested', {
      ...shared,
      range,
      reason: proposal.reason,
      manifest: 'manifest',
      max_summary_chars: proposal.maxSummaryChars,
    });
    this.append('ContextCompacted', {
      ...shared,
      replaces_seq_range: range,
      summary,
      chars_before: proposal.charsBefore,
      chars_after: summary.length,
      bytes_saved: 0,
      source_digest: '',
      model: 'builtin:extractive',
      extractive: true,
      usage: null,
      cost_usd: null,
    });
  }

  private append<T extends EventType>(type: T, data: EventData<T>): void {
    this.seq += 1;
    if (isEntryType(type)) this.entries += 1;
    const event = {
      type,
      data,
      streamId: STREAM,
      seq: this.seq,
      position: this.seq,
      cursor: `0-${this.seq}`,
      eventId: uuidOf(this.seq),
      schemaVersion: 1,
      runId: RUN,
      stepId: 'work',
      item: null,
      round: 0,
      entry: isEntryType(type) ? this.entries : null,
      chars: entryChars({ type, data } as EventBody),
      digest: `digest-${this.seq}`,
      recordedAt: '2026-01-01T00:00:00Z',
    };
    // Written from the types of the catalogue, which the compiler cannot follow through the union.
    this.fresh.push(event as unknown as StoredEvent);
  }
}

function uuidOf(seq: number): string {
  const hex = createHash('sha256').update(String(seq)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const line = (n: number): string =>
  `src/module-${n % 97}/file-${n % 13}.ts:${n % 700}: const value${n} = compute(${n % 31});\n`;

/** A tool result of a coding session: about 1,100 chars, now and then 11,000. */
export const toolOutput = (turn: number): string =>
  Array.from({ length: turn % 29 === 0 ? 180 : 18 }, (_, at) => line(turn * 7 + at)).join('');

/** A summary as long as the gate lets pass. */
export const summaryOf = (turn: number, maxChars: number): string =>
  Array.from({ length: Math.ceil(maxChars / 60) }, (_, at) => line(turn + at))
    .join('')
    .slice(0, maxChars);
