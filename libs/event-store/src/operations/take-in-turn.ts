import type { Session } from '../session.js';
import { commitsLater } from './commit-later.js';
import type { Runnable } from './leased-table.js';

/** Whose turn was last: the next one begins behind it. Each process has its own. */
export class Turns {
  private project = '';
  private readonly lanes = new Map<string, string>();

  /** The cursors, for the statement: ids and lanes are text of ours, never empty. */
  get cursors(): { project: string; lanes: string } {
    return { project: this.project, lanes: JSON.stringify(Object.fromEntries(this.lanes)) };
  }

  note(taken: readonly { projectId: string; lane: string }[]): void {
    for (const { projectId, lane } of taken) {
      this.project = projectId;
      // Behind all others: the map is cut at its oldest.
      this.lanes.delete(projectId);
      this.lanes.set(projectId, lane);
    }
    for (const projectId of this.lanes.keys()) {
      if (this.lanes.size <= MOST_PROJECTS) return;
      this.lanes.delete(projectId);
    }
  }
}

/** A project that is forgotten begins at its first lane again. */
const MOST_PROJECTS = 1000;

type Taken = Runnable & { projectId: string; lane: string };

/**
 * Marks up to `limit` runnable steps of the highest priority as dispatched: project after project, in each lane after lane,
 * in each the oldest first. Lanes are found by jumping over the outbox's index from one to the next, so what a turn costs
 * depends on `limit`, not on how much waits. Fewer than `limit` may come although more waits: ask again until none comes.
 * Rows that another process takes now are skipped.
 */
export async function takeInTurn(session: Session, turns: Turns, limit: number): Promise<Runnable[]> {
  const { project, lanes } = turns.cursors;
  const taken = await session<Taken[]>`
    with recursive top as materialized (
      select priority from step_run where in_outbox order by priority desc limit 1
    ), ${walkProjects(session, project, limit)}, ${walkLanes(session, lanes, limit)},
    chosen as materialized (
      select c.id, row_number() over (order by c.in_project, c.project_no) as no
      from (
        select r.id, l.project_no, row_number() over (partition by l.project_no order by r.lap, l.no) as in_project
        from lane l cross join top
        cross join lateral (
          select step_run_id as id, row_number() over (order by queued_at, step_run_id) as lap from step_run
          where in_outbox and priority = top.priority and project_id = l.project_id and lane = l.lane
          order by queued_at, step_run_id limit ceil(${limit}::float8 / (select count(*) from lane))
        ) r
      ) c
      order by no limit ${limit}
    ), locked as materialized (
      select 1 as one, c.no, t.step_run_id as id from chosen c
      cross join lateral (
        -- As in_outbox, which the planner would take for a reason to look through all that waits.
        select step_run_id from step_run
        where step_run_id = c.id and status = 'queued' and dispatched_at is null for no key update skip locked
      ) t
    ), taken as (
      update step_run t set dispatched_at = now() from locked l where l.one = 1 and t.step_run_id = l.id and ${commitsLater(session)}
      returning l.no, t.step_run_id as id, t.dispatch_no, t.priority, t.project_id, t.lane
    )
    select id, dispatch_no as "dispatchNo", priority, project_id as "projectId", lane from taken order by no`;
  turns.note(taken);
  return taken.map(({ id, dispatchNo, priority }) => ({ id, dispatchNo, priority }));
}

/** Up to `limit` projects with runnable steps, once around, beginning behind the one that had its turn last. */
function walkProjects(session: Session, last: string, limit: number) {
  return session`
    project_walk as (
      select ${last}::text as project_id, false as wrapped, 0 as no
      union all
      select next.project_id, next.wrapped, w.no + 1 from project_walk w cross join top
      cross join lateral (
        select * from (
          (select project_id, w.wrapped as wrapped from step_run
            where in_outbox and priority = top.priority and project_id > w.project_id
              and (not w.wrapped or project_id <= ${last}) order by project_id limit 1)
          union all
          (select project_id, true from step_run
            where in_outbox and priority = top.priority and not w.wrapped and project_id <= ${last}
            order by project_id limit 1)
        ) ahead order by wrapped limit 1
      ) next
      where w.no < ${limit}
    ), project as materialized (select project_id, no from project_walk where no > 0)`;
}

/** Of each of these projects its share of lanes with runnable steps, once around, beginning behind the last one of it. */
function walkLanes(session: Session, last: string, limit: number) {
  return session`
    lane_walk as (
      select p.project_id, p.no as project_no, coalesce((${last}::text)::jsonb ->> p.project_id, '') as last,
        coalesce((${last}::text)::jsonb ->> p.project_id, '') as lane, false as wrapped, 0 as no
      from project p
      union all
      select w.project_id, w.project_no, w.last, next.lane, next.wrapped, w.no + 1 from lane_walk w cross join top
      cross join lateral (
        select * from (
          (select lane, w.wrapped as wrapped from step_run
            where in_outbox and priority = top.priority and project_id = w.project_id
              and lane > w.lane and (not w.wrapped or lane <= w.last) order by lane limit 1)
          union all
          (select lane, true from step_run
            where in_outbox and priority = top.priority and project_id = w.project_id
              and not w.wrapped and lane <= w.last order by lane limit 1)
        ) ahead order by wrapped limit 1
      ) next
      where w.no < ceil(${limit}::float8 / (select count(*) from project))
    ), lane as materialized (select project_id, project_no, lane, no from lane_walk where no > 0)`;
}
