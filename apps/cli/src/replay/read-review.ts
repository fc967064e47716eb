import { z } from 'zod';
import type { WeirClient } from '#libs/client';
import type { ReplayPlan } from '#libs/context';
import { REPLAY_STEP, type CallLine, type TotalLine } from '#libs/engine';

export type PlayedCall = CallLine & {
  run_id: string | null;
  step_id: string;
  attempt: number;
  build_ms: number | null;
  rebuilt: string;
};
export type PlayedTotal = TotalLine;

type Reviewed = PlayedCall & { run_call: number | null };
const reviewSchema = z.looseObject({
  calls: z.array(z.custom<Reviewed>()),
  total: z.custom<TotalLine>().nullable(),
});

const NO_CALLS: TotalLine = {
  event: 'total',
  calls: 0,
  chars: 0,
  chars_unmanaged: 0,
  tokens: 0,
  masked: 0,
  compactions: 0,
  over_hard_cap: 0,
  cost: 0,
  cost_unmanaged: 0,
  lint_violations: 0,
};

/** Every call that the played runs recorded, built again by the server, under the numbers of the recording. */
export async function readReview(
  client: WeirClient,
  streamId: string,
  plan: ReplayPlan,
  runIds: readonly string[],
): Promise<{ calls: PlayedCall[]; total: PlayedTotal }> {
  const path = `/v1/admin/streams/${encodeURIComponent(streamId)}/calls?step_id=${REPLAY_STEP}`;
  const review = reviewSchema.parse(await (await client.open(path)).json());
  const seen = new Map<string, number>();
  const calls = review.calls.map(({ run_call: runCall, ...line }): PlayedCall => {
    const run = line.run_id ?? '';
    const place = runCall ?? (seen.get(run) ?? 0) + 1;
    seen.set(run, place);
    const recorded = plan.runs[runIds.indexOf(run)]?.calls[place - 1];
    return recorded === undefined ? line : { ...line, call: recorded.call, message_index: recorded.messageIndex };
  });
  return { calls, total: review.total ?? NO_CALLS };
}
