import type { Transcript } from '../../libs/context/src/index.js';
import { RECORDED_MODEL } from '../../libs/engine/src/index.js';
import type { Bill } from './bill.js';
import { BENCH_POLICIES, COMPARED, type BenchPolicy } from './policies.js';
import { best, playRival, rawSession, type RawSession, type RivalRun } from './play-rival.js';
import { playWeir, type Played } from './play-weir.js';
import { RIVALS } from './rivals/all.js';
import { unmanaged as rawHistory } from './rivals/sliding-window.js';

/** `uncached`: the same policy for a model without a prompt cache, where masking slides; of the compared policies only. */
export type PolicyRun = {
  policy: BenchPolicy;
  played: Played;
  uncached: Played | null;
  rivals: readonly RivalResult[];
  /** The whole history as it was recorded, without repair; of the compared policies only. */
  raw: Bill | null;
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
    const session = rawSession(transcript, policy.policy);
    const rivals = uncached === null ? [] : await rivalsOf(session, played.largest, uncached.largest);
    const [raw] = uncached === null ? [] : await playRival(rawHistory, session, Infinity, SUMMARY_CHARS);
    runs.push({ policy, played, uncached, rivals, raw: raw?.bill ?? null });
  }
  return { name, runs };
}

/** A rival's budget is the largest request that Weir sent under the same prices. */
async function rivalsOf(raw: RawSession, cachedBudget: number, plainBudget: number): Promise<RivalResult[]> {
  const results: RivalResult[] = [];
  for (const rival of RIVALS) {
    const cached = best(rival, await playRival(rival, raw, cachedBudget, SUMMARY_CHARS), 'cached');
    const plain = best(rival, await playRival(rival, raw, plainBudget, SUMMARY_CHARS), 'plain');
    results.push({ label: rival.label, cached, plain });
  }
  return results;
}
