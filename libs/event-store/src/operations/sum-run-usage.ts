import type { StepUsage } from '#libs/engine';
import type { Session } from '../session.js';

/** What a run has used, its compactions and the runs that it started included. */
export async function sumRunUsage(session: Session, projectId: string, runId: string): Promise<StepUsage> {
  const ofRun = session`(select ${runId}::text union all select d.run_id from run d where d.ancestors @> array[${runId}::text] and d.ancestors <> '{}')`;
  const [row] = await session<StepUsage[]>`
    select coalesce(sum(input_tokens), 0)::bigint as "inputTokens", coalesce(sum(cached_tokens), 0)::bigint as "cachedTokens",
      coalesce(sum(output_tokens), 0)::bigint as "outputTokens", coalesce(sum(cost_usd), 0) as "costUsd",
      coalesce(sum(model_calls), 0)::bigint as "modelCalls", coalesce(sum(tool_calls), 0)::bigint as "toolCalls"
    from (
      select input_tokens, cached_tokens, output_tokens, cost_usd, model_calls, tool_calls from step_run
      where project_id = ${projectId} and run_id in ${ofRun}
      union all
      select input_tokens, cached_tokens, output_tokens, cost_usd, model_calls, 0 from compaction
      where project_id = ${projectId} and run_id in ${ofRun}
    ) used`;
  return row === undefined
    ? { inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0, modelCalls: 0, toolCalls: 0 }
    : { ...row };
}
