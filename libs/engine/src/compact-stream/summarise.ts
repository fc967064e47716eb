import { countCodePoints, estimateProfit, isProfitable, renderHistory, type ProfitEstimate } from '#libs/context';
import type { EngineDeps } from '../engine-deps.js';
import type { CompactionRecord } from '../ports/compaction-store.port.js';
import { askSummaryModel } from './ask-summary-model.js';
import {
  bytesPerChar,
  checkSummary,
  completeSummary,
  EXTRACTIVE_MODEL,
  extractiveText,
  type CheckedSummary,
  type SummaryBounds,
} from './complete-summary.js';
import type { CompactionSource } from './read-source.js';
import { NOTHING_SPENT, type Spent } from './spent.js';
import { isAskingDue, summaryModels } from './summary-models.js';

/** A model that was asked and gave no summary that may be used. */
export type FailedModel = { model: string; class: string; detail: string };

/** How one attempt at a compaction went. `spent` and `failedModels` are of this attempt. */
export type Summarised =
  | ({
      kind: 'summary';
      summary: string;
      sourceDigest: string;
      charsAfter: number;
      bytesSaved: number;
      model: string;
      extractive: boolean;
    } & Tried)
  | ({ kind: 'not_smaller'; charsAfter: number; bytesSaved: number; model: string } & Tried)
  | ({ kind: 'not_profitable'; charsAfter: number; bytesSaved: number; estimate: ProfitEstimate } & Tried)
  | ({ kind: 'nothing_to_compact' } & Tried)
  /** This range, or the summary that it was to go on from, was rolled back. */
  | ({ kind: 'barred'; detail: string } & Tried)
  | ({ kind: 'failed'; class: string; detail: string; retryable: boolean } & Tried)
  | { kind: 'stopped' };

/** `withheld`: why models were not asked, or no further one. */
type Tried = { spent: Spent; failedModels?: readonly FailedModel[]; withheld?: string };

/** All but a stop: what `compactionEnd` makes an event of. */
export type Settled = Exclude<Summarised, { kind: 'stopped' }>;

export type SummariseDeps = Pick<EngineDeps, 'models' | 'settings' | 'compactions' | 'runs' | 'limiter' | 'logger'>;

/** Attempts at one compaction; only what costs nothing is tried again. */
export const MAX_ATTEMPTS = 3;

/**
 * Makes the summary of a range: by the policy's model, else the agent's, else by selection, so that it ends in a summary
 * whatever models do. Code checks and completes each.
 */
export async function summarise(
  deps: SummariseDeps,
  record: CompactionRecord,
  source: CompactionSource,
  signal: AbortSignal,
): Promise<Summarised> {
  const barred = whyBarred(record, source);
  if (barred !== null) return { kind: 'barred', detail: barred, spent: NOTHING_SPENT };
  if (source.fresh.length === 0) return { kind: 'nothing_to_compact', spent: NOTHING_SPENT };
  const models = summaryModels(deps, source);
  if (models.length > 0 && !isAskingDue(record.reason, source))
    return { ...extract(record, source), withheld: heldBack(source) };
  const [first] = models;
  const loss = first === undefined ? null : expectedLoss(deps, record, source, first);
  if (loss !== null)
    return { kind: 'not_profitable', ...projectedSaving(record, source), estimate: loss, spent: NOTHING_SPENT };
  return askInTurn(deps, record, source, models, signal);
}

const heldBack = ({ modelFailures }: CompactionSource): string =>
  `models gave nothing usable ${modelFailures.inARow} times in a row and are not asked again before the range has grown`;

function whyBarred({ supersedes }: CompactionRecord, source: CompactionSource): string | null {
  if (source.barredDigests.includes(source.digest)) return 'the summary of exactly these events was rolled back';
  if (supersedes !== null && source.rolledBack.includes(supersedes))
    return `compaction ${supersedes}, which this one was to go on from, was rolled back`;
  return null;
}

async function askInTurn(
  deps: SummariseDeps,
  record: CompactionRecord,
  source: CompactionSource,
  models: readonly string[],
  signal: AbortSignal,
): Promise<Summarised> {
  const failedModels: FailedModel[] = [];
  let spent = NOTHING_SPENT;
  for (const [index, model] of models.entries()) {
    const kept = await keptSummary(deps, record, source, model);
    if (kept !== null)
      return { ...kept, kind: 'summary', sourceDigest: source.digest, model, extractive: false, spent, failedModels };
    const answer = await askSummaryModel(deps, { record, source, model, signal }, spent);
    if (answer.kind === 'stopped') return answer;
    spent = answer.spent;
    if (answer.kind === 'withheld') return { ...extract(record, source), spent, failedModels, withheld: answer.detail };
    const isFirstTry = index === 0 && record.attempt < MAX_ATTEMPTS && source.modelFailures.inARow === 0;
    if (answer.kind === 'failed' && answer.transient && isFirstTry)
      return { kind: 'failed', class: answer.class, detail: answer.detail, retryable: true, spent };
    const fault = answer.kind === 'failed' ? answer : null;
    const checked = answer.kind === 'failed' ? null : completeSummary(record, source, answer.text);
    if (checked?.kind === 'accepted') {
      const isOurs = await keep(deps, record, source, { model, summary: checked.summary });
      return isOurs
        ? { ...checked, kind: 'summary', sourceDigest: source.digest, model, extractive: false, spent, failedModels }
        : { kind: 'stopped' };
    }
    failedModels.push({ model, ...(fault === null ? refusal(record, checked) : pick(fault)) });
  }
  return { ...extract(record, source), spent, failedModels };
}

const pick = ({ class: failureClass, detail }: { class: string; detail: string }) => ({ class: failureClass, detail });

function refusal(record: SummaryBounds, checked: Exclude<CheckedSummary, { kind: 'accepted' }> | null) {
  const chars = checked?.charsAfter ?? 0;
  return checked?.kind === 'not_smaller'
    ? {
        class: 'not_smaller',
        detail: `the summary has ${chars} chars, what it replaces has ${record.charsBefore ?? 0}`,
      }
    : { class: 'too_long', detail: `the summary has ${chars} chars, more than its bound of ${record.maxSummaryChars}` };
}

/** A summary of the same events within the same bound by this model, paid for before: by whoever, applied or not. */
async function keptSummary(deps: SummariseDeps, record: CompactionRecord, source: CompactionSource, model: string) {
  const { projectId, maxSummaryChars } = record;
  const query = { projectId, sourceDigest: source.digest, maxSummaryChars, model };
  const kept = await deps.compactions.findCachedSummary(query);
  if (kept === null || kept.extractive) return null;
  const checked = checkSummary(record, source, kept.summary);
  return checked.kind === 'accepted' ? checked : null;
}

/** Stored before it is applied: whoever takes over after a crash finds it. False: fenced out. */
function keep(
  deps: SummariseDeps,
  { projectId, compactionId, fence }: CompactionRecord,
  { digest: sourceDigest }: CompactionSource,
  { model, summary }: { model: string; summary: string },
): Promise<boolean> {
  return deps.compactions.keepSummary({ projectId, compactionId, fence, sourceDigest, model, summary });
}

/** By selection, without a model: also the first rung of the ladder, and what stands behind all models. */
export function extract(record: SummaryBounds, source: CompactionSource): Settled {
  const checked = completeSummary(record, source, extractiveText(record, source));
  const by = { model: EXTRACTIVE_MODEL, spent: NOTHING_SPENT };
  switch (checked.kind) {
    case 'accepted':
      return { ...checked, ...by, kind: 'summary', sourceDigest: source.digest, extractive: true };
    case 'not_smaller':
      return { ...checked, ...by };
    case 'too_long':
      return { kind: 'failed', retryable: false, spent: NOTHING_SPENT, ...refusal(record, checked) };
  }
}

/** The estimate when a summary would cost more than it saves and nobody waits for it; null: go ahead. */
function expectedLoss(
  deps: SummariseDeps,
  record: CompactionRecord,
  source: CompactionSource,
  model: string,
): ProfitEstimate | null {
  if (record.reason !== 'soft_cap') return null;
  const summariser = deps.models.facts(model);
  if (!summariser.ok) return null;
  const estimate = estimateProfit({
    readChars: countCodePoints(renderHistory(source.fresh)) + countCodePoints(source.previousSummary ?? ''),
    writtenChars: record.maxSummaryChars,
    freedChars: (record.charsBefore ?? 0) - record.maxSummaryChars,
    turns: source.entries.filter((entry) => entry.kind === 'assistant').length,
    summariser: summariser.facts,
    agent: source.manifest.model,
  });
  return estimate === null || isProfitable(estimate) ? null : estimate;
}

/** As if the summary had all that it may have. */
function projectedSaving(record: CompactionRecord, source: CompactionSource) {
  const charsAfter = record.maxSummaryChars;
  const freed = (record.charsBefore ?? 0) - charsAfter;
  return { charsAfter, bytesSaved: Math.round(freed * bytesPerChar(source)) };
}
