import type { CompactionStore } from '#libs/engine';
import type { Session } from '../session.js';

/** Fenced, as all that a compactor writes. */
export async function recordCompactionCall(
  session: Session,
  { projectId, compactionId, fence, usage }: Parameters<CompactionStore['recordCompactionCall']>[0],
): Promise<boolean> {
  const [updated] = await session`
    update compaction set input_tokens = input_tokens + ${usage.inputTokens}, cached_tokens = cached_tokens + ${usage.cachedTokens},
      output_tokens = output_tokens + ${usage.outputTokens}, cost_usd = cost_usd + ${usage.costUsd},
      model_calls = model_calls + ${usage.modelCalls}
    where project_id = ${projectId} and compaction_id = ${compactionId} and fence = ${fence} and status = 'running'
    returning 1`;
  return updated !== undefined;
}
