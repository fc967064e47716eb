import { spendLimitSchema, type Json } from '#libs/domain';
import type { RunStandingFacts } from '#libs/engine';
import type { Session } from '../session.js';

type Row = { run_id: string; paused: boolean; spend_limit: Json; tokens: number; cost_usd: number; tool_calls: number };

/** A run (column `r.run_id`) and its child runs, at any depth. */
const withChildren = (session: Session) =>
  session`(select r.run_id union all select d.run_id from run d where d.ancestors @> array[r.run_id] and d.ancestors <> '{}')`;

/**
 * Asked at each turn boundary: whether the run or one around it is paused, and what those with a spend limit have spent,
 * their child runs and compactions included.
 */
export async function findRunStanding(session: Session, projectId: string, runId: string): Promise<RunStandingFacts> {
  const rows = await session<Row[]>`
    select r.run_id, r.paused_at is not null as paused, r.spend_limit,
      coalesce(used.tokens, 0)::bigint as tokens, coalesce(used.cost_usd, 0) as cost_usd, coalesce(used.tool_calls, 0)::bigint as tool_calls
    from run own
    join run r on r.project_id = own.project_id and r.run_id = any(own.ancestors || own.run_id)
    left join lateral (
      select sum(u.tokens) as tokens, sum(u.cost_usd) as cost_usd, sum(u.tool_calls) as tool_calls
      from (
        select input_tokens + output_tokens as tokens, cost_usd, tool_calls from step_run
        where project_id = r.project_id and run_id in ${withChildren(session)}
        union all
        select input_tokens + output_tokens, cost_usd, 0 from compaction
        where project_id = r.project_id and run_id in ${withChildren(session)}
      ) u
    ) used on r.spend_limit is not null
    where own.project_id = ${projectId} and own.run_id = ${runId}`;
  return {
    isPaused: rows.some(({ paused }) => paused),
    spending: rows.flatMap((row) =>
      row.spend_limit === null
        ? []
        : [
            {
              runId: row.run_id,
              limit: spendLimitSchema.parse(row.spend_limit),
              spent: { tokens: row.tokens, costUsd: Number(row.cost_usd), toolCalls: row.tool_calls },
            },
          ],
    ),
  };
}

/** Steps of the run and of its child runs that wait for a reason, for instance after the pause was lifted. */
export async function findStepsWaitingFor(
  session: Session,
  projectId: string,
  runId: string,
  reason: string,
): Promise<{ projectId: string; runId: string; stepRunId: string }[]> {
  const rows = await session<{ projectId: string; runId: string; stepRunId: string }[]>`
    select s.project_id as "projectId", s.run_id as "runId", s.step_run_id as "stepRunId"
    from (select ${runId}::text as run_id) r, step_run s
    where s.project_id = ${projectId} and s.status = 'waiting' and s.reason = ${reason} and s.run_id in ${withChildren(session)}`;
  return rows.map((row) => ({ ...row }));
}

/** Some of the steps that are parked, drawn anew each time: however many stay parked, each is looked at in the end. */
export async function findParkedSteps(
  session: Session,
  limit: number,
): Promise<{ projectId: string; runId: string; stepRunId: string }[]> {
  const rows = await session<{ projectId: string; runId: string; stepRunId: string }[]>`
    select project_id as "projectId", run_id as "runId", step_run_id as "stepRunId" from step_run
    where parked_reason is not null order by random() limit ${limit}`;
  return rows.map((row) => ({ ...row }));
}
