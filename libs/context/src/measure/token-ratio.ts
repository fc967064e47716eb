import type { View } from '../view/read-view.js';
import { isInView } from '../view/view-key.js';

const LEAST_RATIO = 0.5;
const GREATEST_RATIO = 3;

/**
 * Reported ÷ raw tokens of the last completed call of each model in this view: what the last build knew, and how its own call
 * ended. Earlier calls are in what it knew.
 */
export function tokenRatios(view: View): { [model: string]: number } {
  const { last } = view;
  if (last === null) return {};
  const ratios = { ...last.base.token_ratios };
  for (let index = view.events.length - 1; index >= 0; index -= 1) {
    const event = view.events[index];
    if (event === undefined || event.seq <= last.seq) break;
    if (event.type !== 'LlmCallCompleted' || event.data.usage === null || !isInView(view.spec, event)) continue;
    const isOfLast = event.data.call_no === last.callNo && event.runId === last.runId && event.round === last.round;
    if (isOfLast && last.base.raw_tokens > 0)
      ratios[last.model] = clamped(event.data.usage.input_tokens / last.base.raw_tokens);
  }
  return ratios;
}

const clamped = (ratio: number): number => Math.min(GREATEST_RATIO, Math.max(LEAST_RATIO, ratio));
