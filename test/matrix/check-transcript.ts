import { lint, type OverHardCapBuild, type Transcript } from '../../libs/context/src/index.js';
import { buildsOf, recordedModel } from '../../libs/engine/src/index.js';
import type { MatrixCell } from './policies.js';

export type CellResult = {
  calls: number;
  ready: number;
  /** Of ready calls, as `call: rule detail`. */
  violations: string[];
  /** Calls over the cap; `isOneEntry`: what may not be left out is itself larger than the cap. */
  overCap: { call: number; size: number; cap: number; largest: number; isOneEntry: boolean }[];
};

/** Every call of a recorded session under one policy, in one form. */
export function checkTranscript(transcript: Transcript, { policy, apiFormat }: MatrixCell): CellResult {
  const result: CellResult = { calls: 0, ready: 0, violations: [], overCap: [] };
  for (const { call, model, build } of buildsOf(transcript, policy, recordedModel(null, apiFormat))) {
    result.calls += 1;
    if (build.kind === 'over_hard_cap') {
      result.overCap.push({ call, ...overCapOf(build) });
      continue;
    }
    result.ready += 1;
    for (const { rule, detail } of lint(build.request, apiFormat, { model }))
      result.violations.push(`${call}: ${rule} ${detail}`);
  }
  return result;
}

function overCapOf({ size, cap, contributors }: OverHardCapBuild): Omit<CellResult['overCap'][number], 'call'> {
  const largest = Math.max(0, ...contributors.map(({ chars }) => chars));
  return { size, cap, largest, isOneEntry: largest > cap };
}
