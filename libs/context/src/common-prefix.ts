import { canonicalJson } from '#libs/domain';
import type { Draft } from './draft.js';
import type { FixedParts } from './measure/fixed-parts.js';
import { messageChars, toolsChars, type Weights } from './measure/part-chars.js';
import type { NeutralRequest } from './neutral.js';
import { messageCanonical } from './request.js';
import { countCodePoints } from './shape/index.js';
import type { View } from './view/read-view.js';

export type RequestDifference = {
  /** Chars of equal leading parts: tools, system, messages. */
  readonly commonPrefixChars: number;
  /** Index of the first message that differs; `tools` or `system` in front of them; null: the first is a prefix of the second. */
  readonly firstDifference: number | 'tools' | 'system' | null;
};

/** Where the second request first differs from the one before it. */
export function compareRequests(before: NeutralRequest, after: NeutralRequest, weights: Weights): RequestDifference {
  if (canonicalJson(before.tools) !== canonicalJson(after.tools))
    return { commonPrefixChars: 0, firstDifference: 'tools' };
  let chars = toolsChars(after.tools);
  if (before.system !== after.system) return { commonPrefixChars: chars, firstDifference: 'system' };
  chars += countCodePoints(after.system ?? '');
  for (const [index, message] of before.messages.entries()) {
    const other = after.messages[index];
    if (other === undefined || (message !== other && messageCanonical(message) !== messageCanonical(other)))
      return { commonPrefixChars: chars, firstDifference: index };
    chars += messageChars(message, weights);
  }
  return { commonPrefixChars: chars, firstDifference: null };
}

/**
 * What of the request was sent by the last call of the view already, from the events alone: `previous` is the draft of today's
 * events under the frontier of that call. `tokens` are raw.
 */
export function expectedPrefix(
  previous: Draft,
  now: Draft,
  view: View,
  fixed: FixedParts,
): { chars: number; tokens: number } {
  const { last } = view;
  if (last === null || last.base.head !== fixed.key) return { chars: 0, tokens: 0 };
  let chars = fixed.systemChars + fixed.toolsChars;
  let tokens = fixed.tokens;
  if (last.frontier.compaction_id !== (view.compaction.live?.id ?? null)) return { chars, tokens };
  chars += now.layout.summary?.chars ?? 0;
  tokens += now.layout.summary?.tokens ?? 0;
  const before = [...previous.layout.pinned, ...previous.layout.tail];
  let at = -1;
  for (const cell of [...now.layout.pinned, ...now.layout.tail]) {
    at += 1;
    const { seq } = cell.entry.source;
    if (before[at]?.shown !== cell.shown || (seq !== null && seq > last.uptoSeq)) break;
    chars += cell.shown?.chars ?? 0;
    tokens += cell.shown?.tokens ?? 0;
  }
  return { chars, tokens };
}
