import type { LoopItem } from '#libs/engine';
import type { ReadLoop } from '../flight/loop-memory.js';
import type { Session } from '../session.js';

/** `items`: one for each work that may end it. */
export type LoopToRead = Omit<LoopItem, 'item'> & { items: number[] };

type LoopRow = Pick<ReadLoop, 'running' | 'failed'> & {
  no: number;
  values: ReadLoop['values'] | null;
  next: ReadLoop['next'] | null;
};

/**
 * Of each loop, whose run is locked, the values of the elements that works are about, and as many of the next ones as may begin when
 * these end, one more to tell whether others wait behind them. What it costs does not grow with the loop.
 */
export async function readLoops(
  session: Session,
  loops: readonly (LoopToRead & { projectId: string })[],
): Promise<ReadLoop[]> {
  if (loops.length === 0) return [];
  const asked = loops.map(({ projectId, stepRunId, items, maxParallel }, no) => ({
    ...{
      one: 1,
      no,
      project_id: projectId,
      step_run_id: stepRunId,
      items,
      first: Math.min(...items),
      most: maxParallel,
    },
  }));
  const rows = await session<LoopRow[]>`
    select a.no, v.values, n.next, r.running, exists (
      select from step_item where project_id = a.project_id and step_run_id = a.step_run_id and status = 'failed'
    )::integer as failed
    from jsonb_to_recordset((${JSON.stringify(asked)}::text)::jsonb) as a(
      one integer, no integer, project_id text, step_run_id text, items integer[], first integer, most integer)
    cross join lateral ${valuesOf(session)} v cross join lateral ${nextOf(session)} n cross join lateral ${runningOf(session)} r
    where a.one = 1`;
  return rows.flatMap(({ no, values, next, ...counts }) => {
    const loop = loops[no];
    if (loop === undefined) return [];
    const { projectId, stepRunId, body, items } = loop;
    const hasMore = next !== null && next.length > items.length;
    return [{ projectId, stepRunId, body, ...counts, values: values ?? [], next: next ?? [], hasMore }];
  });
}

const valuesOf = (session: Session) => session`(
  select jsonb_agg(jsonb_build_object('item', i.item, 'value', i.value)) as values
  from unnest(a.items) as own
  cross join lateral (
    select item, value from step_item where project_id = a.project_id and step_run_id = a.step_run_id and item = own offset 0
  ) i
)`;

/**
 * Elements begin in their order, so all that wait are behind each one that runs: what those that began have left in the index need
 * not be looked at.
 */
const nextOf = (session: Session) => session`(
  select jsonb_agg(jsonb_build_object('item', i.item, 'value', i.value, 'hasBegun', i.started_at is not null) order by i.item) as next
  from (
    select item, value, started_at from step_item
    where project_id = a.project_id and step_run_id = a.step_run_id and status = 'pending' and item > a.first
    order by item limit cardinality(a.items) + 1
  ) i
)`;

/** All of them while others wait; then only whether these were the last. */
const runningOf = (session: Session) => session`(
  select count(*)::integer as running from (
    select from step_item where project_id = a.project_id and step_run_id = a.step_run_id and status = 'running'
    order by item desc limit case when n.next is null then cardinality(a.items) + 1 else a.most end
  ) i
)`;
