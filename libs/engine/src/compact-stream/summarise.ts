import {
  buildSummary,
  checkSummaryText,
  chunkHistory,
  countCodePoints,
  extractiveSummary,
  gateSummary,
  renderHistory,
  summaryRequest,
  summaryTextRoom,
  type ConversationEntry,
} from '#libs/context';
import type { Usage } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import type { CompactionRecord } from '../ports/compaction-store.port.js';
import type { ModelOutcome } from '../ports/model.port.js';
import type { CompactionSource } from './read-source.js';

export type Spent = { usage: Usage | null; costUsd: number; modelCalls: number };

export type Summarised =
  | {
      kind: 'summary';
      summary: string;
      charsAfter: number;
      bytesSaved: number;
      model: string;
      extractive: boolean;
      spent: Spent;
    }
  | { kind: 'not_smaller'; charsAfter: number; bytesSaved: number; model: string; spent: Spent }
  | { kind: 'nothing_to_compact'; spent: Spent }
  | { kind: 'failed'; class: string; detail: string; retryable: boolean; spent: Spent }
  | { kind: 'stopped' };

/** All but a stop: what `compactionEnd` makes an event of. */
export type Settled = Exclude<Summarised, { kind: 'stopped' }>;

/** What a summary must keep to. */
type SummaryBounds = Pick<CompactionRecord, 'entries' | 'maxSummaryChars' | 'charsBefore'>;

export const EXTRACTIVE_MODEL = 'builtin:extractive';
const NOTHING_SPENT: Spent = { usage: null, costUsd: 0, modelCalls: 0 };

type SummariseDeps = Pick<EngineDeps, 'models' | 'settings'>;

/** Makes the summary of a range with the model that the policy names, and lets code check and complete it. */
export async function summarise(
  deps: SummariseDeps,
  record: CompactionRecord,
  source: CompactionSource,
  signal: AbortSignal,
): Promise<Summarised> {
  if (source.fresh.length === 0) return { kind: 'nothing_to_compact', spent: NOTHING_SPENT };
  const model = summaryModel(deps, source);
  if (model === EXTRACTIVE_MODEL) return extract(record, source);
  return askModel(deps, { record, source, model, signal });
}

/** budget.summary_model, else compaction.model, else the agent's; a model that cannot summarise (recordings) gives way to the extractive one. */
function summaryModel(deps: SummariseDeps, { policy, manifest }: CompactionSource): string {
  const named = policy.budget?.summary_model ?? policy.compaction.model ?? manifest.model.id;
  if (named.startsWith('replay:') || !deps.models.facts(named).ok) return EXTRACTIVE_MODEL;
  return named;
}

/** By selection, without a model: also the first rung of the ladder. */
export function extract(record: SummaryBounds, source: CompactionSource): Settled {
  const { fresh: entries, previousSummary } = source;
  const text = extractiveSummary({
    entries,
    previousSummary,
    asOf: record.entries[1],
    maxChars: summaryTextRoom(record.maxSummaryChars),
  });
  return complete(record, source, { text, model: EXTRACTIVE_MODEL, extractive: true, spent: NOTHING_SPENT });
}

type Written = { text: string; model: string; extractive: boolean; spent: Spent };

function complete(record: SummaryBounds, source: CompactionSource, written: Written): Settled {
  const { text, model, extractive, spent } = written;
  const { entries, previousSummary } = source;
  const maxChars = record.maxSummaryChars;
  const summary = buildSummary({ text, entries, previousSummary, maxChars });
  const charsBefore = record.charsBefore ?? Number.MAX_SAFE_INTEGER;
  const gate = gateSummary(summary, { maxChars, charsBefore });
  const saved = { charsAfter: gate.charsAfter, bytesSaved: bytesSaved(record, source, summary) };
  switch (gate.kind) {
    case 'accepted':
      return { kind: 'summary', summary, ...saved, model, extractive, spent };
    case 'not_smaller':
      return { kind: 'not_smaller', ...saved, model, spent };
    case 'too_long': {
      const detail = `the summary has ${gate.charsAfter} chars, more than its bound of ${maxChars}`;
      return { kind: 'failed', class: 'too_long', detail, retryable: true, spent };
    }
  }
}

/** UTF-8 bytes: those of the shown chars at the range's own bytes per char, less those of the summary. */
function bytesSaved(record: SummaryBounds, source: CompactionSource, summary: string): number {
  const text = renderHistory(source.entries);
  const bytesPerChar = text === '' ? 1 : Buffer.byteLength(text) / countCodePoints(text);
  return Math.round((record.charsBefore ?? 0) * bytesPerChar) - Buffer.byteLength(summary);
}

type Asking = { record: CompactionRecord; source: CompactionSource; model: string; signal: AbortSignal };

/** Folds the history chunk by chunk: each answer is the record so far of the next call. */
async function askModel(deps: SummariseDeps, asking: Asking): Promise<Summarised> {
  const { record, source, model } = asking;
  const maxChars = summaryTextRoom(record.maxSummaryChars);
  let previousSummary = source.previousSummary;
  let spent = NOTHING_SPENT;
  for (const entries of chunkHistory(source.fresh, chunkChars(deps, model, maxChars))) {
    const outcome = await askOnce(deps, asking, { entries, previousSummary, maxChars });
    if (asking.signal.aborted) return { kind: 'stopped' };
    spent = added(spent, outcome);
    if (outcome.kind === 'failure')
      return {
        kind: 'failed',
        class: outcome.class,
        detail: outcome.detail,
        retryable: isRetryable(outcome.class),
        spent,
      };
    const checked = checkSummaryText(outcome.message, outcome.finishReason);
    if (checked.kind === 'refused')
      return { kind: 'failed', class: checked.reason, detail: checked.detail, retryable: true, spent };
    previousSummary = checked.text;
  }
  return complete(record, source, { text: previousSummary ?? '', model, extractive: false, spent });
}

const CHARS_PER_TOKEN = 3;
const DEFAULT_WINDOW_TOKENS = 32_000;

/** What fits the summary model's own window beside the record so far, the answer and the instructions. Chars. */
function chunkChars(deps: SummariseDeps, model: string, maxChars: number): number {
  const facts = deps.models.facts(model);
  const window = (facts.ok ? facts.facts.windowTokens : null) ?? DEFAULT_WINDOW_TOKENS;
  return Math.max(4_000, Math.floor(window * CHARS_PER_TOKEN * 0.8) - 2 * maxChars);
}

function askOnce(
  deps: SummariseDeps,
  { record, model, signal }: Asking,
  part: { entries: ConversationEntry[]; previousSummary: string | null; maxChars: number },
): Promise<ModelOutcome> {
  const request = summaryRequest({ ...part, asOf: record.entries[1] });
  return deps.models.call({
    model,
    request,
    cacheBreakpoints: [],
    cacheKey: record.compactionId,
    settings: {
      temperature: null,
      maxOutputTokens: Math.max(256, Math.ceil(part.maxChars / 2)),
      stop: [],
      reasoning: null,
      extra: {},
      outputSchema: null,
      toolChoice: 'none',
    },
    position: {
      projectId: record.projectId,
      streamId: record.streamId,
      runId: record.runId ?? record.compactionId,
      stepId: record.stepId ?? 'compaction',
      item: record.item,
      callNo: record.attempt,
      try: 1,
    },
    signal,
    idleTimeoutMs: deps.settings.modelIdleTimeoutMs,
    totalTimeoutMs: deps.settings.modelTotalTimeoutMs,
    onDelta: null,
  });
}

const TERMINAL: ReadonlySet<string> = new Set(['authentication', 'invalid_request', 'refused', 'context_overflow']);
const isRetryable = (failureClass: string): boolean => !TERMINAL.has(failureClass);

function added(spent: Spent, outcome: ModelOutcome): Spent {
  const { usage } = outcome;
  return {
    usage: usage === null ? spent.usage : sum(spent.usage, usage),
    costUsd: spent.costUsd + (outcome.costUsd ?? 0),
    modelCalls: spent.modelCalls + 1,
  };
}

function sum(a: Usage | null, b: Usage): Usage {
  if (a === null) return b;
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
  };
}
