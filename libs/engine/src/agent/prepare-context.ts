import type { ReadyBuild, WaitBuild } from '#libs/context';
import { extractNow } from '../compact-stream/extract-now.js';
import { requestCompaction } from '../compact-stream/request-compaction.js';
import type { StepOutcome } from '../run-step/step-outcome.js';
import type { AgentContext } from './agent-context.js';

/** Below the hard cap a compaction is asked for and the step goes on. */
export async function requestProposed(context: AgentContext, build: ReadyBuild): Promise<void> {
  if (build.proposal !== null) await requestCompaction(context, build.proposal);
}

/** Above it the step waits for one, or takes the first rung of the ladder itself. Null: build again. */
export async function settleWait(context: AgentContext, build: WaitBuild): Promise<StepOutcome | null> {
  if (build.next === 'extractive') {
    if (build.proposal !== null) await extractNow(context, build.proposal);
    return null;
  }
  const compactionId =
    build.proposal === null ? build.openCompactionId : await requestCompaction(context, build.proposal);
  if (compactionId === null) return null;
  return { kind: 'waiting_for_compaction', compactionId, waitMs: context.plan.policy.compaction.wait_ms };
}
