import { API_FORMATS, effectivePolicy, type ApiFormat, type EffectivePolicy } from '../../libs/context/src/index.js';

export type MatrixCell = { name: string; policy: EffectivePolicy; apiFormat: ApiFormat };

const PRESETS = ['coding_agent', 'chat', 'evals'] as const;
const BATCHES = [1, 10, 'auto'] as const;
/** With the hard cap at twice the soft one; null: the preset's own. */
const SOFT_CAPS = [30_000, 60_000, null] as const;

/** Every preset, batch of the mask boundary, soft cap and form of request. */
export function matrixCells(formats: readonly ApiFormat[] = API_FORMATS): MatrixCell[] {
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
