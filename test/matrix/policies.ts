import { API_FORMATS, effectivePolicy, type ApiFormat, type EffectivePolicy } from '../../libs/context/src/index.js';

export type MatrixCell = { name: string; policy: EffectivePolicy; apiFormat: ApiFormat };

const PRESETS = ['coding_agent', 'chat', 'evals'] as const;
const BATCHES = [1, 10, 'auto'] as const;
/** With the hard cap at twice the soft one; null: the preset's own. */
const SOFT_CAPS = [30_000, 60_000, null] as const;

/** Budget and blocks, alone, together and beside a window. */
export const SECTIONS = {
  'budget of 15,000 tokens': { budget: { max_tokens: 15_000 } },
  'budget of 40 items, one exchange kept': { budget: { max_context_items: 40, keep_recent_turns: 1 } },
  'blocks of 16,000 tokens': { blocks: { window_width_tokens: 16_000 } },
  'blocks of 6,000 tokens, one kept': { blocks: { window_width_tokens: 6_000, keep_last_blocks: 1 } },
  'budget and blocks': {
    budget: { max_tokens: 12_000, keep_recent_turns: 9 },
    blocks: { window_width_tokens: 20_000, compaction_trigger_ratio: 0.57, compaction_target_ratio: 0.29 },
  },
  'all three': {
    preset: 'evals',
    budget: { max_tokens: 14_000, max_context_items: 120 },
    blocks: { window_width_tokens: 24_000, keep_last_blocks: 3 },
  },
} as const;

/** Every preset, batch of the mask boundary, soft cap and form of request; and the other sections in every form. */
export function matrixCells(formats: readonly ApiFormat[] = API_FORMATS): MatrixCell[] {
  return [...windowCells(formats), ...sectionCells(formats)];
}

export function sectionCells(formats: readonly ApiFormat[] = API_FORMATS): MatrixCell[] {
  return Object.entries(SECTIONS).flatMap(([name, context]) =>
    formats.map((apiFormat) => ({
      name: `${name}, ${apiFormat}`,
      policy: effectivePolicy({ pipeline: context }, false),
      apiFormat,
    })),
  );
}

export function windowCells(formats: readonly ApiFormat[] = API_FORMATS): MatrixCell[] {
  return PRESETS.flatMap((preset) =>
    BATCHES.flatMap((batch) =>
      SOFT_CAPS.flatMap((softCap) =>
        formats.map((apiFormat) => ({
          name: `${preset}, steps of ${batch}, soft cap ${softCap ?? 'default'}, ${apiFormat}`,
          policy: effectivePolicy({ pipeline: { preset, window: windowOf(batch, softCap) } }, false),
          apiFormat,
        })),
      ),
    ),
  );
}

const windowOf = (batch: number | 'auto', softCap: number | null): object => ({
  mask_batch_turns: batch,
  ...(softCap === null ? {} : { soft_cap_chars: softCap, hard_cap_chars: 2 * softCap }),
});
