import type { ContextPreset, WindowPolicy } from './policy-schema.js';

/** What a preset stands for: a whole `window`. `coding_agent` is the schema's defaults. */
export const presets: { readonly [P in ContextPreset]: Readonly<WindowPolicy> } = {
  coding_agent: window(10, 400_000, 600_000, 4, null),
  chat: window(2, 40_000, 80_000, 2, 12),
  evals: window(4, 60_000, 100_000, 2, null),
};

function window(
  observationWindow: number,
  softCapChars: number,
  hardCapChars: number,
  minTailTurns: number,
  forgetAfterTurns: number | null,
): WindowPolicy {
  return {
    observation_window: observationWindow,
    soft_cap_chars: softCapChars,
    hard_cap_chars: hardCapChars,
    min_tail_turns: minTailTurns,
    forget_after_turns: forgetAfterTurns,
    mask_batch_turns: 'auto',
  };
}
