import type { Transcript } from '../../libs/context/src/index.js';
import { previewTranscript, RECORDED_MODEL, type CallLine, type TotalLine } from '../../libs/engine/src/index.js';
import { BENCH_POLICIES, type BenchPolicy } from './policies.js';

export type Measured = { policy: BenchPolicy; calls: CallLine[]; total: TotalLine; maxBuildMs: number };

/** One recorded session under each policy, as `weir preview` counts. */
export const measure = (transcript: Transcript): Measured[] =>
  BENCH_POLICIES.map((policy) => measureUnder(transcript, policy));

function measureUnder(transcript: Transcript, policy: BenchPolicy): Measured {
  const calls: CallLine[] = [];
  let maxBuildMs = 0;
  const previewing = previewTranscript(transcript, policy.policy, RECORDED_MODEL);
  for (;;) {
    const next = previewing.next();
    if (next.done === true) return { policy, calls, total: next.value, maxBuildMs };
    calls.push(next.value.line);
    maxBuildMs = Math.max(maxBuildMs, next.value.buildMs);
  }
}
