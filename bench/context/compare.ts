import type { Transcript } from '../../libs/context/src/index.js';
import { RECORDED_MODEL } from '../../libs/engine/src/index.js';
import { BENCH_POLICIES, COMPARED, type BenchPolicy } from './policies.js';
import { best, playRival, rawSession, type RivalRun } from './play-rival.js';
import { playWeir, type Played } from './play-weir.js';
import { RIVALS } from './rivals/all.js';

/** `uncached`: the same policy for a model without a prompt cache, where masking slides; of the compared policies only. */
export type PolicyRun = {
  policy: BenchPolicy;
  played: Played;
  uncached: Played | null;
  rivals: readonly RivalResult[];
};
export type RivalResult = { label: string; cached: RivalRun | null; plain: RivalRun | null };
export type Session = { name: string; runs: readonly PolicyRun[] };

/** What summarisers of rivals write: the most that Weir's summaries may have (`max_summary_chars`). */
const SUMMARY_CHARS = 12_000;
const NO_CACHE = { ...RECORDED_MODEL, promptCaching: false };

/** One recorded session under every policy, and under every rival at the budgets of the compared ones. */
export async function compareSession(name: string, transcript: Transcript): Promise<Session> {
  const runs: PolicyRun[] = [];
  let unmanaged: Played['unmanaged'] = [];
  for (const policy of BENCH_POLICIES) {
    const played = playWeir(transcript, policy.policy, RECORDED_MODEL, unmanaged);
    unmanaged = played.unmanaged;
    const isCompared = COMPARED.includes(policy.key);
    const uncached = isCompared ? playWeir(transcript, policy.policy, NO_CACHE, unmanaged) : null;
    const rivals = uncached === null ? [] : await rivalsOf(transcript, policy, played.largest, uncached.largest);
    runs.push({ policy, played, uncached, rivals });
  }
  return { name, runs };
}

/** A rival's budget is the largest request that Weir sent under the same prices. */
async function rivalsOf(
  transcript: Transcript,
  { policy }: BenchPolicy,
  cachedBudget: number,
  plainBudget: number,
): Promise<RivalResult[]> {
  const raw = rawSession(transcript, policy);
  const results: RivalResult[] = [];
  for (const rival of RIVALS) {
    const cached = best(rival, await playRival(rival, raw, cachedBudget, SUMMARY_CHARS), 'cached');
    const plain = best(rival, await playRival(rival, raw, plainBudget, SUMMARY_CHARS), 'plain');
    results.push({ label: rival.label, cached, plain });
  }
  return results;
}
