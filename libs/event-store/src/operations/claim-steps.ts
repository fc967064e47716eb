import { runErrorSchema } from '#libs/domain';
import type { Claimed, ClaimedStep, RunVersions } from '#libs/engine';
import type { Session } from '../session.js';
import { claimLeases, type LeaseClaim } from './claim-lease.js';
import { LEASED_STEPS } from './leased-table.js';
import { RUN_COLUMNS, runRecord, type RunRow } from './run-row.js';
import { STEP_RUN_COLUMNS, stepRunRecord, type StepRunRow } from './step-run-row.js';

/** Steps of a run with more than this are not brought along. */
const MOST_STEPS = 64;

type ClaimedRow = StepRunRow & { steps: ClaimedStep[] | null } & RowVersions & Record<string, unknown>;
type RowVersions = { run_version: number; others: number; others_sum: number };

// Both rows come back in one row, the run's after the step's.
const COLUMNS = [
  ...STEP_RUN_COLUMNS.map((column) => `s.${column}`),
  ...RUN_COLUMNS.map((column) => `r.${column} as r_${column}`),
].join(', ');
const RUN_ALIASES = RUN_COLUMNS.map((column) => [column, `r_${column}`] as const);

/** Claims many steps in one statement; null for those that somebody else has, in their order. */
export async function claimSteps(session: Session, claims: readonly LeaseClaim[]): Promise<(Claimed | null)[]> {
  const rows = await session<
    ClaimedRow[]
  >`with ${claimLeases(session, LEASED_STEPS, claims)} ${withTheirRuns(session)}`;
  const byId = new Map(rows.map((row) => [row.step_run_id, row]));
  return claims.map(({ id }) => {
    const row = byId.get(id);
    // A job that was delivered twice is claimed once.
    byId.delete(id);
    return row === undefined ? null : claimed(row);
  });
}

/** A step that was inserted as claimed in this transaction. */
export async function findClaimed(session: Session, projectId: string, stepRunId: string): Promise<Claimed> {
  const [row] = await session<ClaimedRow[]>`
    with claimed as (select * from step_run where project_id = ${projectId} and step_run_id = ${stepRunId}) ${withTheirRuns(session)}`;
  if (row === undefined) throw new Error(`the step ${stepRunId} was claimed in a transaction that does not see it`);
  return claimed(row);
}

/**
 * Of the rows of the CTE `claimed`, continues the list of CTEs. Steps are counted before they are read, once a run: without rows `steps`
 * is null. In the order of their index, which keeps the planner from reading the whole table where it holds few runs.
 */
function withTheirRuns(session: Session) {
  return session`
    , claimed_run as materialized (
      select c.project_id, c.run_id, (
        select count(*) from (
          select from step_run s where s.project_id = c.project_id and s.run_id = c.run_id order by s.step_id limit ${MOST_STEPS + 1}
        ) s
      ) <= ${MOST_STEPS} as is_small
      from (select distinct project_id, run_id from claimed) c
    )
    select ${session.unsafe(COLUMNS)}, r.version as run_version, o.others, o.others_sum, o.steps
    from claimed s
    join claimed_run c on c.project_id = s.project_id and c.run_id = s.run_id
    cross join lateral (
      select *, xmin::text::bigint as version from run where project_id = s.project_id and run_id = s.run_id offset 0
    ) r
    cross join lateral (
      select (count(*) filter (where o.step_run_id <> s.step_run_id))::integer as others,
        coalesce(sum(o.version) filter (where o.step_run_id <> s.step_run_id), 0)::bigint as others_sum,
        jsonb_agg(jsonb_build_object('stepRunId', o.step_run_id, 'stepId', o.step_id, 'item', o.item, 'round', o.round,
        'kind', o.kind, 'status', o.status, 'reason', o.reason, 'attempt', o.attempt, 'output', o.output, 'error', o.error,
        'queuedAt', o.queued_at, 'endedAt', o.ended_at)) as steps
      from (
        select *, xmin::text::bigint as version from step_run where project_id = s.project_id and run_id = s.run_id
        order by step_id limit ${MOST_STEPS}
      ) o
      where c.is_small
    ) o`;
}

function claimed(row: ClaimedRow): Claimed {
  const run: Record<string, unknown> = {};
  for (const [column, alias] of RUN_ALIASES) run[column] = row[alias];
  // The column lists above make these rows whole.
  return {
    run: runRecord(run as RunRow),
    step: stepRunRecord(row),
    steps: row.steps?.map(claimedStep) ?? null,
    versions: row.steps === null ? null : versionsOf(row),
  };
}

const versionsOf = ({ run_version, others, others_sum }: RowVersions): RunVersions => ({
  ...{ run: run_version, others, othersSum: others_sum },
});

const claimedStep = (step: ClaimedStep): ClaimedStep => ({
  ...step,
  error: step.error === null ? null : runErrorSchema.parse(step.error),
});
