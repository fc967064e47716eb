import { compareBuilds, type BuiltMessage, type ComparedBuild, type ReadyBuild } from '#libs/context';
import type { Json, JsonObject, StoredEvent, StoredEventOf } from '#libs/domain';
import { rebuildCall, type EngineDeps, type RebuiltCall } from '#libs/engine';
import type { CallContext } from './call-context.schema.js';

type ContextQuestion = Parameters<typeof rebuildCall>[1] & {
  /** Events of the step's calls in its sub-stream, all runs, by seq. */
  callEvents: readonly StoredEvent[];
  comparesWithPrevious: boolean;
};

/** What a call's request held, why what is missing is missing, and where it first differs from the one before. Null: no such call. */
export async function callContextOf(
  deps: Pick<EngineDeps, 'log' | 'runs'>,
  question: ContextQuestion,
): Promise<CallContext | null> {
  const rebuilt = await rebuildCall(deps, question);
  if (rebuilt === null) return null;
  const { started, build } = rebuilt;
  const ready = build?.kind === 'ready' ? build : null;
  const completed = completionOf(question.callEvents, started);
  return {
    run_id: question.runId,
    step_id: question.stepId,
    item: question.item,
    round: started.round,
    call: started.data.call_no,
    try: started.data.try,
    model: started.data.model,
    api_format: rebuilt.manifest?.model.apiFormat ?? null,
    policy_hash: started.data.policy_hash,
    context_hash: started.data.context_hash,
    rebuilt: rebuilt.verdict,
    wire_hash: completed?.data.wire_hash ?? null,
    upto_seq: started.data.upto_seq,
    cutoff_seq: rebuilt.cutoffSeq,
    messages: ready === null ? [] : messagesOf(ready),
    omitted: (ready?.omitted ?? []).map(({ entries, state, chars }) => ({ entries: [...entries], state, chars })),
    report: reportOf(started.data.report, completed),
    diff: question.comparesWithPrevious ? await diffOf(deps, question, rebuilt) : null,
  };
}

function completionOf(
  events: readonly StoredEvent[],
  started: StoredEventOf<'LlmCallStarted'>,
): StoredEventOf<'LlmCallCompleted'> | null {
  const found = events.find(
    (event) =>
      event.type === 'LlmCallCompleted' &&
      event.runId === started.runId &&
      event.round === started.round &&
      event.data.call_no === started.data.call_no &&
      event.data.try === started.data.try,
  );
  return found?.type === 'LlmCallCompleted' ? found : null;
}

export function messagesOf(build: ReadyBuild): CallContext['messages'] {
  const { system } = build.request;
  const own = build.messages.map(toMessage);
  if (system === null) return own;
  const prompt = {
    ...blank,
    role: 'system' as const,
    content: system,
    synthetic: true,
    entries: [],
    chars: [...system].length,
  };
  return [prompt, ...own];
}

const blank = { tool_calls: null, tool_call_id: null, state: 'whole' as const, pinned: false };

function toMessage({
  message,
  entries,
  state,
  pinned,
  synthetic,
  chars,
}: BuiltMessage): CallContext['messages'][number] {
  return {
    role: message.role,
    content: message.content,
    tool_calls: message.role === 'assistant' ? message.tool_calls : null,
    tool_call_id: message.role === 'tool' ? message.tool_call_id : null,
    state,
    pinned,
    synthetic,
    entries: [...entries],
    chars,
  };
}

/** The recorded report without what only the next build needs, and with what the provider reported beside the prediction. */
function reportOf(recorded: JsonObject, completed: StoredEventOf<'LlmCallCompleted'> | null): JsonObject {
  const report = withoutBase(recorded);
  const predicted = isObject(report['cached_tokens']) ? (report['cached_tokens']['predicted'] ?? null) : null;
  return { ...report, cached_tokens: { predicted, reported: completed?.data.usage?.cached_tokens ?? null } };
}

/** A report without what only the next build needs. */
export function withoutBase({ base: _forTheNextBuild, ...report }: JsonObject): JsonObject {
  return report;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function diffOf(
  deps: Pick<EngineDeps, 'log' | 'runs'>,
  question: ContextQuestion,
  now: RebuiltCall,
): Promise<CallContext['diff']> {
  const previous = previousCall(question.callEvents, now);
  if (previous === null || previous.runId === null) return null;
  const rebuilt = await rebuildCall(deps, {
    ...question,
    runId: previous.runId,
    round: previous.round,
    callNo: previous.data.call_no,
    try: previous.data.try,
  });
  const [before, after] = [rebuilt === null ? null : comparedOf(rebuilt), comparedOf(now)];
  if (before === null || after === null) return null;
  const { commonPrefixChars, firstDifference } = compareBuilds(before, after);
  if (firstDifference === null) return { common_prefix_chars: commonPrefixChars, first_difference: null };
  const { at, cause } = firstDifference;
  const message = messageIndex(at, after.build.request.system === null ? 0 : 1);
  return { common_prefix_chars: commonPrefixChars, first_difference: { message, cause } };
}

function comparedOf({ build, manifest, memory }: RebuiltCall): ComparedBuild | null {
  return build?.kind === 'ready' && manifest !== null ? { build, manifest, memory } : null;
}

/** Index into `messages`, in which the system prompt stands first; null: the tools, which are no message. */
function messageIndex(difference: number | 'tools' | 'system', offset: number): number | null {
  if (difference === 'tools') return null;
  return difference === 'system' ? 0 : difference + offset;
}

/** The request sent before this one in the same view: other tries of the same call are the same request. */
function previousCall(events: readonly StoredEvent[], now: RebuiltCall): StoredEventOf<'LlmCallStarted'> | null {
  const { started, manifest } = now;
  const isFresh = manifest?.policy['mode'] === 'fresh';
  const found = events.findLast(
    (event) =>
      event.type === 'LlmCallStarted' &&
      event.seq < started.seq &&
      (event.runId === started.runId ? !isSameCall(event, started) : !isFresh),
  );
  return found?.type === 'LlmCallStarted' ? found : null;
}

const isSameCall = (a: StoredEventOf<'LlmCallStarted'>, b: StoredEventOf<'LlmCallStarted'>): boolean =>
  a.round === b.round && a.data.call_no === b.data.call_no;
