import type { Session } from '../session.js';
import { commitsLater } from './commit-later.js';
import { isDispatched, runnableStatus, type Dispatch, type LeasedTable, type Runnable } from './leased-table.js';

/** Marks up to `limit` runnable compactions as dispatched, by priority and age; rows that another process takes now are skipped. */
export async function takeRunnable(session: Session, leased: LeasedTable, limit: number): Promise<Runnable[]> {
  const [table, id] = [session(leased.table), session(leased.id)];
  return session<Runnable[]>`
    with chosen as materialized (
      select ${id} as id from ${table}
      where status = ${runnableStatus(session, leased)} and dispatched_at is null and (due_at is null or due_at <= now())
      order by priority desc, queued_at limit ${limit} for no key update skip locked
    ), taken as (
      update ${table} t set dispatched_at = now() from chosen c where t.${id} = c.id
      returning t.${id} as id, t.dispatch_no, t.priority, t.queued_at
    )
    select id, dispatch_no as "dispatchNo", priority from taken order by priority desc, queued_at`;
}

/** The same for exactly these rows; those that are dispatched already (or being taken) are left out. */
export async function takeThese(session: Session, leased: LeasedTable, ids: readonly string[]): Promise<Runnable[]> {
  if (ids.length === 0) return [];
  const [table, id, runnable] = [session(leased.table), session(leased.id), runnableStatus(session, leased)];
  return session<Runnable[]>`
    with chosen as materialized (
      select asked.id, t.status from (select id from unnest(${[...ids]}::text[]) as id order by id) asked
      cross join lateral (
        select status, dispatched_at, due_at from ${table} where ${id} = asked.id for no key update skip locked
      ) t
      where t.dispatched_at is null and (t.due_at is null or t.due_at <= now())
    ), taken as (
      update ${table} t set dispatched_at = now() from chosen c where t.${id} = c.id and c.status = ${runnable} and ${commitsLater(session)}
      returning t.${id} as id, t.dispatch_no, t.priority, t.queued_at
    )
    select id, dispatch_no as "dispatchNo", priority from taken order by priority desc, queued_at`;
}

/** Gives back what could not be pushed: the relay finds it again under the same dispatch. */
export async function undispatch(session: Session, leased: LeasedTable, jobs: readonly Dispatch[]): Promise<void> {
  await changeDispatched(session, leased, jobs, false);
}

/** For jobs that the queue lost: a new dispatch, so that a late job of the old one ends quietly. */
export async function redispatch(session: Session, leased: LeasedTable, jobs: readonly Dispatch[]): Promise<void> {
  await changeDispatched(session, leased, jobs, true);
}

async function changeDispatched(
  session: Session,
  leased: LeasedTable,
  jobs: readonly Dispatch[],
  isNew: boolean,
): Promise<void> {
  if (jobs.length === 0) return;
  const [table, id, runnable] = [session(leased.table), session(leased.id), runnableStatus(session, leased)];
  await session`
    with lost as materialized (
      select j.id, t.status
      from (
        select * from unnest(${jobs.map((job) => job.id)}::text[], ${jobs.map((job) => job.dispatchNo)}::integer[]) as j(id, dispatch_no)
        order by j.id
      ) j
      cross join lateral (
        select status, dispatched_at from ${table} where ${id} = j.id and dispatch_no = j.dispatch_no for no key update
      ) t
      where t.dispatched_at is not null
    )
    update ${table} t set dispatched_at = null, dispatch_no = t.dispatch_no + ${isNew ? 1 : 0}
    from lost where t.${id} = lost.id and lost.status = ${runnable}`;
}

/** Everything that waits in the queue, after the queue lost its data. Returns how many. */
export async function redispatchAll(session: Session, leased: LeasedTable): Promise<number> {
  const [table, id] = [session(leased.table), session(leased.id)];
  const result = await session`
    with lost as materialized (
      select ${id} as id from ${table} where ${isDispatched(session, leased)} order by ${id} for no key update
    )
    update ${table} t set dispatched_at = null, dispatch_no = t.dispatch_no + 1
    from lost where t.${id} = lost.id`;
  return result.count;
}

/** Dispatched longer ago than this and not claimed yet, oldest first: the sweeper asks the queue whether it has them. */
export async function findDispatched(
  session: Session,
  leased: LeasedTable,
  olderThanMs: number,
  limit: number,
): Promise<Dispatch[]> {
  const rows = await session<Dispatch[]>`
    select ${session(leased.id)} as id, dispatch_no as "dispatchNo" from ${session(leased.table)}
    where ${isDispatched(session, leased)} and dispatched_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'
    order by dispatched_at limit ${limit}`;
  return rows.map((row) => ({ ...row }));
}
