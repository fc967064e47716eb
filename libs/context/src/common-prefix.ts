import { canonicalJson } from '#libs/domain';
import type { Draft } from './draft.js';
import type { FixedParts } from './measure/fixed-parts.js';
import { measureItem, type Measured } from './measure/measured-item.js';
import { messageChars, toolsChars, type Weights } from './measure/part-chars.js';
import type { ModelFacts, NeutralRequest } from './neutral.js';
import { countCodePoints, formatProfile } from './shape/index.js';
import { isMedia, limitMedia } from './shape/limit-media.js';
import type { Cell } from './stages/stage.js';
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
    if (other === undefined || (message !== other && canonicalJson(message) !== canonicalJson(other)))
      return { commonPrefixChars: chars, firstDifference: index };
    chars += messageChars(message, weights);
  }
  return { commonPrefixChars: chars, firstDifference: null };
}

/** `tokens` are raw; counting them takes longer than all the rest, so it is done for those who need them. */
export type ExpectedPrefix = { readonly chars: number; readonly tokens: () => number };

/**
 * What of the request was sent by the last call of the view already, from the events alone: `previous` is the draft of today's
 * events under the frontier of that call.
 */
export function expectedPrefix(
  previous: Draft,
  now: Draft,
  { last, compaction }: View,
  { fixed, model }: { fixed: FixedParts; model: ModelFacts },
): ExpectedPrefix {
  if (last === null || last.base.head !== fixed.key) return NOTHING;
  let chars = fixed.systemChars + fixed.toolsChars;
  if (last.frontier.compaction_id !== (compaction.live?.id ?? null)) return { chars, tokens: () => fixed.tokens };
  const { summary, sentCells } = now.layout;
  chars += summary?.chars ?? 0;
  const isNew = ({ entry: { source } }: Cell): boolean => source.seq !== null && source.seq > last.uptoSeq;
  const cells = [...now.layout.pinned, ...now.layout.tail];
  const before = [...previous.layout.pinned, ...previous.layout.tail].filter((cell) => !isNew(cell));
  const [was, is] = [sentOf(before, model), sentOf(cells, model)];
  let at = -1;
  let same = 0;
  for (const cell of cells) {
    at += 1;
    // Of one item the oldest images go first: what is as long as it was is what it was.
    if (before[at]?.shown !== cell.shown || was[at]?.chars !== is[at]?.chars || isNew(cell)) break;
    chars += is[at]?.chars ?? 0;
    same += 1;
  }
  const tokens = (): number =>
    same > 0 && same === sentCells
      ? last.base.raw_tokens
      : is.slice(0, same).reduce((sum, one) => sum + (one?.tokens ?? 0), fixed.tokens + (summary?.tokens ?? 0));
  return { chars, tokens };
}

const NOTHING: ExpectedPrefix = { chars: 0, tokens: () => 0 };

/** The cells as `shape` sends them: with the oldest images described where there are too many for the provider. */
function sentOf(cells: readonly Cell[], model: ModelFacts): readonly (Measured | null)[] {
  const shown = cells.map((cell) => cell.shown);
  if (!shown.some((one) => one?.item.content.some(isMedia))) return shown;
  const items = shown.flatMap((one) => (one === null ? [] : [one.item]));
  const limited = limitMedia(items, formatProfile(model.apiFormat), []);
  if (limited === items) return shown;
  return limited.map((item, at) => (item === items[at] ? (shown[at] ?? null) : measureItem(item, model)));
}
