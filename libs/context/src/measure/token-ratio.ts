import type { StoredEvent } from '#libs/domain';
import type { View } from '../view/read-view.js';
import { isInView } from '../view/view-key.js';
import { readRecordedBuild } from '../view/recorded-build.js';

const LEAST_RATIO = 0.5;
const GREATEST_RATIO = 3;

/** Reported ÷ raw tokens of the last completed call of each model in this view; what the last build knew, brought up to date. */
export function tokenRatios(view: View): { [model: string]: number } {
  const ratios: { [model: string]: number } = { ...view.last?.base.token_ratios };
  const raw = new Map<string, { model: string; tokens: number }>();
  for (const event of view.events) {
    if (!isInView(view.spec, event)) continue;
    if (event.type === 'LlmCallStarted') {
      const recorded = readRecordedBuild(event);
      if (recorded?.base.view === view.key) raw.set(callKey(event, event.data.call_no, event.data.try), { model: event.data.model, tokens: recorded.base.raw_tokens });
    } else if (event.type === 'LlmCallCompleted' && event.data.usage !== null) {
      const started = raw.get(callKey(event, event.data.call_no, event.data.try));
      if (started !== undefined && started.tokens > 0) ratios[started.model] = clamped(event.data.usage.input_tokens / started.tokens);
    }
  }
  return ratios;
}

const clamped = (ratio: number): number => Math.min(GREATEST_RATIO, Math.max(LEAST_RATIO, ratio));
const callKey = (event: StoredEvent, callNo: number, attempt: number): string => `${event.runId ?? ''}/${event.round}/${callNo}/${attempt}`;
