import type { WeirClient } from '#libs/client';

/** What one demonstration showed; a line of `weir up --json`. Null: it does not measure that. */
export type DemoResult = {
  readonly name: string;
  readonly ok: boolean;
  readonly runs: number | null;
  readonly model_calls: number | null;
  readonly chars_sent: number | null;
  readonly chars_unmanaged: number | null;
  readonly masked_results: number | null;
  readonly compactions: number | null;
  readonly cost: number | null;
  readonly cost_unmanaged: number | null;
  readonly max_build_ms: number | null;
  readonly lint_violations: number | null;
  readonly hash_mismatches: number | null;
};

export type Demonstration = {
  readonly name: string;
  /** Runs over the API only, like any user's program. May throw: that counts as not ok. */
  readonly run: (client: WeirClient) => Promise<DemoResult>;
};

export function unmeasured(name: string, ok: boolean): DemoResult {
  return {
    name,
    ok,
    runs: null,
    model_calls: null,
    chars_sent: null,
    chars_unmanaged: null,
    masked_results: null,
    compactions: null,
    cost: null,
    cost_unmanaged: null,
    max_build_ms: null,
    lint_violations: null,
    hash_mismatches: null,
  };
}
