import type { AssistantMessage, FinishReason } from '#libs/domain';
import { countCodePoints, isBlank, wellFormed } from '../shape/index.js';
import { APPENDIX_MARK } from './appendix-mark.js';

/** `refused`: nothing was wrong with the call, but its text is no summary (`CompactionFailed`). */
export type SummaryTextCheck =
  | { kind: 'text'; text: string }
  | { kind: 'refused'; reason: 'empty' | 'cut_by_length' | 'tool_calls'; detail: string };

/** Forms in which models write calls as text; a summary that holds one is an agent at work, not a record. */
const TOOL_SYNTAX =
  /<\/?(?:tool_calls?|function_calls?|function|invoke|tool_use|tool_response)\b[^>]*>|\[TOOL_CALLS\]|<\|(?:python_tag|tool[^|]*)\|>|<｜tool|"tool_calls"\s*:|```(?:tool_code|tool_call)\b|^\s*\{\s*"(?:name|tool|function)"\s*:\s*"[^"]*"\s*,\s*"(?:arguments|parameters|args|input)"\s*:/imu;

/** What a summariser answered, as text: its reasoning removed, well-formed, or the reason why it cannot be used. */
export function checkSummaryText(message: AssistantMessage, finishReason: FinishReason): SummaryTextCheck {
  const said = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const text = withoutThoughts(wellFormed(said)).replaceAll(APPENDIX_MARK, '').trim();
  if (message.tool_calls.length > 0 || TOOL_SYNTAX.test(text))
    return { kind: 'refused', reason: 'tool_calls', detail: 'the answer holds tool calls' };
  if (finishReason === 'length')
    return { kind: 'refused', reason: 'cut_by_length', detail: 'the answer was cut by length' };
  if (isBlank(text)) return { kind: 'refused', reason: 'empty', detail: 'the answer has no text' };
  return { kind: 'text', text };
}

/** Local models write their reasoning into the text; one that never ended it has said nothing else. */
function withoutThoughts(text: string): string {
  return text.replace(/<(think|thinking|reasoning)>[\s\S]*?(?:<\/\1>|$)/giu, '');
}

export type SummaryGate =
  | { kind: 'accepted'; charsAfter: number }
  | { kind: 'too_long'; charsAfter: number; maxChars: number }
  /** `CompactionSkipped{not_smaller}`: applying it would free nothing. */
  | { kind: 'not_smaller'; charsAfter: number };

/** Whether a whole summary, appendix included, may be applied: within its bound and shorter than what it replaces. */
export function gateSummary(summary: string, bounds: { maxChars: number; charsBefore: number }): SummaryGate {
  const charsAfter = countCodePoints(summary);
  if (charsAfter >= bounds.charsBefore) return { kind: 'not_smaller', charsAfter };
  return charsAfter > bounds.maxChars
    ? { kind: 'too_long', charsAfter, maxChars: bounds.maxChars }
    : { kind: 'accepted', charsAfter };
}
