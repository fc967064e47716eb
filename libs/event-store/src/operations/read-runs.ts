import type { RunRecord, RunWork, StepRunRecord } from '#libs/engine';
import { RunMemory } from '../flight/run-memory.js';
import type { Session } from '../session.js';
import { readLoops, type LoopToRead } from './read-loops.js';
import { RUN_COLUMNS, runRecord, type RunRow } from './run-row.js';
import { STEP_RUN_COLUMNS, stepRunRecord, type StepRunRow } from './step-run-row.js';

/** Of a run with more steps than this only those are read that the works ask for. */
const WHOLE_STEPS = 64;

/** Locks the runs and the steps of these works, then reads what they decide on; one memory a run, in the order of the locks. */
export async function readRuns(session: Session, works: readonly RunWork[]): Promise<RunMemory[]> {
  const runs = groupByRun(works);
  // The second statement's snapshot is made after the first one got all locks, and so are all later ones.
  const [locked, steps, loops] = await Promise.all([
    lockRows(session, runs),
    readSteps(session, runs),
    readLoops(
      session,
      runs.flatMap(({ projectId, loops: own }) => [...own.values()].map((loop) => ({ projectId, ...loop }))),
    ),
  ]);
  return runs.map(({ projectId, runId, stepRunIds, places, loops: own }) => {
    const rows = steps.filter(({ step }) => step.projectId === projectId && step.runId === runId);
    return new RunMemory(projectId, runId, {
      run: locked.runs.find((run) => run.projectId === projectId && run.runId === runId) ?? null,
      steps: rows.map(({ step }) => step),
      others: [],
      isWhole: rows.every(({ isWhole }) => isWhole),
      places,
      lockedSteps: stepRunIds,
      loops: loops.filter((loop) => loop.projectId === projectId && own.has(loop.stepRunId)),
      now: locked.now,
    });
  });
}

type RunToRead = Pick<RunWork, 'projectId' | 'runId'> & {
  stepRunIds: string[];
  places: RunWork['places'][number][];
  loops: Map<string, LoopToRead>;
};
function groupByRun(works: readonly RunWork[]): RunToRead[] {
  const runs = new Map<string, RunToRead>();
  for (const { projectId, runId, stepRunId, places, items } of works) {
    const key = `${projectId}\n${runId}`;
    const run: RunToRead = runs.get(key) ?? { projectId, runId, stepRunIds: [], places: [], loops: new Map() };
    if (stepRunId !== null) run.stepRunIds.push(stepRunId);
    run.places.push(...places);
    for (const { item, ...loop } of items) {
      const known: LoopToRead = run.loops.get(loop.stepRunId) ?? { ...loop, items: [] };
      known.items.push(item);
      run.loops.set(loop.stepRunId, known);
    }
    runs.set(key, run);
  }
  return [...runs.values()];
}

/** Runs first, then steps, each sorted: the order in which every transaction locks. */
async function lockRows(session: Session, runs: readonly RunToRead[]): Promise<{ runs: RunRecord[]; now: string }> {
  const asked = runs.map(({ projectId, runId, stepRunIds }) => ({
    ...{ project_id: projectId, run_id: runId, step_run_ids: stepRunIds },
  }));
  const rows = await session<(RunRow & { now: string; steps: number })[]>`
    with asked as materialized (
      select * from jsonb_to_recordset((${JSON.stringify(asked)}::text)::jsonb) as a(project_id text, run_id text, step_run_ids text[])
    ), locked_run as materialized (
      select r.* from (select project_id, run_id from asked order by project_id, run_id) a
      cross join lateral (
        select ${session(RUN_COLUMNS)} from run where run_id = a.run_id for no key update
      ) r
    ), locked_step as materialized (
      select s.* from (
        select a.project_id, id from asked a, unnest(a.step_run_ids) as id
        where (select count(*) from locked_run) >= 0 order by a.project_id, id
      ) a
      cross join lateral (
        select step_run_id from step_run where step_run_id = a.id for no key update
      ) s
    )
    select t.now, t.steps, r.* from (select clock_timestamp() as now, (select count(*) from locked_step)::integer as steps) t
    left join locked_run r on true`;
  const [first] = rows;
  if (first === undefined) throw new Error('the locks of a flight came back without a row');
  return { runs: rows.filter(({ run_id }) => run_id !== null).map(runRecord), now: first.now };
}

/** `one`: see `write-run-changes.ts`; expecting more rows, the planner would also have the statement compiled (jit). */
type ReadStep = { step: StepRunRecord; isWhole: boolean };

async function readSteps(session: Session, runs: readonly RunToRead[]): Promise<ReadStep[]> {
  const withSteps = runs.filter(({ stepRunIds }) => stepRunIds.length > 0);
  if (withSteps.length === 0) return [];
  const asked = withSteps.map(({ projectId, runId, places }) => ({
    ...{ one: 1, project_id: projectId, run_id: runId },
    places: places.map(({ stepIds, item, round }) => ({ one: 1, step_ids: stepIds, item: item ?? -1, round })),
  }));
  const columns = session(STEP_RUN_COLUMNS);
  const rows = await session<(StepRunRow & { is_whole: boolean })[]>`
    with asked as materialized (
      select a.project_id, a.run_id, a.places, (
        select count(*) from (select from step_run s where s.project_id = a.project_id and s.run_id = a.run_id order by s.step_id limit ${WHOLE_STEPS + 1}) s
      ) <= ${WHOLE_STEPS} as is_whole
      from jsonb_to_recordset((${JSON.stringify(asked)}::text)::jsonb) as a(one integer, project_id text, run_id text, places jsonb)
      where a.one = 1
    )
    select a.is_whole, s.* from asked a
    cross join lateral (
      select ${columns} from step_run where project_id = a.project_id and run_id = a.run_id order by step_id limit ${WHOLE_STEPS}
    ) s
    where a.is_whole
    union all
    select a.is_whole, s.* from asked a
    cross join lateral (
      select distinct id, p.item, p.round from jsonb_to_recordset(a.places) as p(one integer, step_ids text[], item integer, round integer), unnest(p.step_ids) as id
      where p.one = 1
    ) p
    cross join lateral (
      select ${columns} from step_run
      where project_id = a.project_id and run_id = a.run_id and step_id = p.id and coalesce(item, -1) = p.item and round = p.round offset 0
    ) s
    where not a.is_whole`;
  return rows.map((row) => ({ step: stepRunRecord(row), isWhole: row.is_whole }));
}
