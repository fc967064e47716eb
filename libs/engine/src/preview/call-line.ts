import type { Violation } from '#libs/context';
import type { JsonObject } from '#libs/domain';

/** One model call of a preview or a replay, as `weir preview --json` prints it. Sizes are chars, `cost` char units. */
export type CallLine = {
  event: 'call';
  /** Counts the calls from 1, failed ones too. */
  call: number;
  /** Of the answer, from 0: in the transcript, or among the stream's entries; null where there is none. */
  message_index: number | null;
  outcome: 'ready' | 'wait' | 'over_hard_cap';
  messages: number;
  chars: number;
  chars_unmanaged: number;
  tokens: number;
  /** Entries in that state; `omitted`: those that are in no summary either. */
  masked: number;
  omitted: number;
  compacted: number;
  context_hash: string | null;
  common_prefix_chars: number;
  cost: number;
  lint: Violation[];
};

/** `masked` counts distinct entries, `compactions` the applied ones; the rest are sums. A call over the cap counts 0 in `chars` and `cost`. */
export type TotalLine = {
  event: 'total';
  calls: number;
  chars: number;
  chars_unmanaged: number;
  tokens: number;
  masked: number;
  compactions: number;
  over_hard_cap: number;
  cost: number;
  cost_unmanaged: number;
  lint_violations: number;
};

/** A line as JSON. */
export const lineJson = (line: CallLine | TotalLine): JsonObject => ({
  ...line,
  ...('lint' in line ? { lint: line.lint.map((violation) => ({ ...violation })) } : {}),
});
