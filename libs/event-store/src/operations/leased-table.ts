import type { Session } from '../session.js';

/**
 * What can be dispatched, claimed, leased and fenced. Steps and compactions share this code; names below are identifiers
 * of ours, never input.
 */
export type LeasedTable = {
  readonly table: 'step_run' | 'compaction';
  readonly id: 'step_run_id' | 'compaction_id';
  /** The status in which a row may be dispatched and claimed; `running` is the same in both. */
  readonly runnable: 'queued' | 'requested';
  /** Whether the claim also starts the row's clocks (started_at, timeout_at). */
  readonly hasClocks: boolean;
};

export const LEASED_STEPS: LeasedTable = { table: 'step_run', id: 'step_run_id', runnable: 'queued', hasClocks: true };
export const LEASED_COMPACTIONS: LeasedTable = {
  table: 'compaction',
  id: 'compaction_id',
  runnable: 'requested',
  hasClocks: false,
};

/**
 * The status as a literal: a partial index is used by a cached plan only when its condition stands in the statement, a
 * parameter there means a scan of the whole table.
 */
export function runnableStatus(session: Session, leased: LeasedTable) {
  switch (leased.runnable) {
    case 'queued':
      return session`'queued'`;
    case 'requested':
      return session`'requested'`;
  }
}

/** In the queue and not claimed. Steps have an index for it that a claim does not have to change; compactions are few. */
export function isDispatched(session: Session, leased: LeasedTable) {
  switch (leased.table) {
    case 'step_run':
      return session`handed_out and status = 'queued'`;
    case 'compaction':
      return session`status = 'requested' and dispatched_at is not null`;
  }
}

/** A wake-up: the row's id and the dispatch that it belongs to. */
export type Dispatch = { id: string; dispatchNo: number };
export type Runnable = Dispatch & { priority: number };
