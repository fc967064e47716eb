import {
  checkSummaryText,
  chunkHistory,
  estimateTokens,
  renderHistory,
  summaryRequest,
  summaryTextRoom,
  type ConversationEntry,
} from '#libs/context';
import type { EngineDeps } from '../engine-deps.js';
import type { CompactionRecord } from '../ports/compaction-store.port.js';
import type { ModelOutcome } from '../ports/model.port.js';
import { callWithinLimits } from '../reserve-model.js';
import type { CompactionSource } from './read-source.js';
import { whyUnaffordable } from '../waits/halt.js';
import { afterCall, usageOfCall, type Spent } from './spent.js';

export type Asking = {
  record: CompactionRecord;
  source: CompactionSource;
  model: string;
  signal: AbortSignal;
};

/** `transient`: the provider did no work; asking again in a moment may help and costs nothing. */
export type ModelSummary =
  | { kind: 'text'; text: string; spent: Spent }
  | { kind: 'failed'; class: string; detail: string; transient: boolean; spent: Spent }
  /** The run has spent what it and its compactions may: no further call is made, by no model. */
  | { kind: 'withheld'; detail: string; spent: Spent }
  | { kind: 'stopped' };

type AskDeps = Pick<EngineDeps, 'models' | 'settings' | 'compactions' | 'runs' | 'limiter' | 'logger'>;

/**
 * Folds the history chunk by chunk: each answer is the record so far of the next call. Each call is put on the compaction's
 * row as soon as it ended, so a compactor that is killed leaves the bill right.
 */
export async function askSummaryModel(deps: AskDeps, asking: Asking, before: Spent): Promise<ModelSummary> {
  const { record, source, model } = asking;
  const maxChars = summaryTextRoom(record.maxSummaryChars, source.entries);
  let text = source.previousSummary;
  let spent = before;
  for (const entries of chunkHistory(source.fresh, chunkChars(deps, model, maxChars))) {
    const unaffordable = await whyUnaffordableNow(deps, record);
    if (unaffordable !== null) return { kind: 'withheld', detail: unaffordable, spent };
    const outcome = await askOnce(deps, asking, { entries, previousSummary: text, maxChars });
    const isOurs = await deps.compactions.recordCompactionCall({
      projectId: record.projectId,
      compactionId: record.compactionId,
      fence: record.fence,
      usage: usageOfCall(outcome),
    });
    if (!isOurs || asking.signal.aborted) return { kind: 'stopped' };
    spent = afterCall(spent, outcome);
    if (outcome.kind === 'failure') return failed(outcome.class, outcome.detail, TRANSIENT.has(outcome.class), spent);
    const checked = checkSummaryText(outcome.message, outcome.finishReason);
    if (checked.kind === 'refused') return failed(checked.reason, checked.detail, false, spent);
    text = checked.text;
  }
  return { kind: 'text', text: text ?? '', spent };
}

async function whyUnaffordableNow({ runs }: AskDeps, { projectId, runId }: CompactionRecord): Promise<string | null> {
  return runId === null ? null : whyUnaffordable(await runs.standing(projectId, runId));
}

const TRANSIENT: ReadonlySet<string> = new Set(['rate_limited', 'overloaded', 'network']);

const failed = (failureClass: string, detail: string, transient: boolean, spent: Spent): ModelSummary => ({
  kind: 'failed',
  class: failureClass,
  detail,
  transient,
  spent,
});

const CHARS_PER_TOKEN = 3;
const DEFAULT_WINDOW_TOKENS = 32_000;

/** What fits the summary model's own window beside the record so far, the answer and the instructions. Chars. */
function chunkChars(deps: AskDeps, model: string, maxChars: number): number {
  const facts = deps.models.facts(model);
  const window = (facts.ok ? facts.facts.windowTokens : null) ?? DEFAULT_WINDOW_TOKENS;
  return Math.max(4_000, Math.floor(window * CHARS_PER_TOKEN * 0.8) - 2 * maxChars);
}

function askOnce(
  deps: AskDeps,
  { record, model, signal }: Asking,
  part: { entries: ConversationEntry[]; previousSummary: string | null; maxChars: number },
): Promise<ModelOutcome> {
  const request = summaryRequest({ ...part, asOf: record.entries[1] });
  const inputTokens = estimateTokens(renderHistory(part.entries)) + estimateTokens(part.previousSummary ?? '');
  return callWithinLimits(
    deps,
    { ticket: record.compactionId, inputTokens },
    {
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
    },
  );
}
