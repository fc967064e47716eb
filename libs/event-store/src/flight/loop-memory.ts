import type { ItemStatus, Json, OpenItems, RunError } from '#libs/domain';
import type { LoopItem, LoopKey } from '#libs/engine';
import type { RunChanges } from './run-changes.js';

/** `hasBegun`: before a retry, so that steps of it may be there. */
type NextItem = { item: number; value: Json; hasBegun: boolean };

/** What is known of a loop's elements. `values`: of those that works are about. `next`: the first that wait; `hasMore`: others wait behind them. */
export type ReadLoop = LoopKey &
  Pick<LoopItem, 'body'> &
  Pick<OpenItems, 'running' | 'failed'> & {
    values: readonly { item: number; value: Json }[];
    next: readonly NextItem[];
    hasMore: boolean;
  };

type KnownLoop = Pick<ReadLoop, 'body' | 'hasMore'> & { next: NextItem[]; running: number; failed: number };

/** The elements of a run's loops as the works of a flight see them: as they were read, with what the works have changed since. */
export class LoopMemory {
  private readonly loops = new Map<string, KnownLoop>();
  private readonly values = new Map<string, Json>();

  constructor(read: readonly ReadLoop[]) {
    for (const { stepRunId, values, next, ...known } of read) {
      this.loops.set(stepRunId, { ...known, next: [...next] });
      for (const { item, value } of [...values, ...next]) this.values.set(itemKey(stepRunId, item), value);
    }
  }

  value({ stepRunId }: LoopKey, item: number): { value: Json } | null {
    const value = this.values.get(itemKey(stepRunId, item));
    return value === undefined ? null : { value };
  }

  /** Nothing can be said of steps in its body: `body` is for those that were read. */
  insert(changes: RunChanges, loop: LoopKey, values: readonly Json[]): void {
    const next = values.map((value, item) => ({ item, value, hasBegun: false }));
    for (const { item, value } of next) this.values.set(itemKey(loop.stepRunId, item), value);
    this.loops.set(loop.stepRunId, { body: [], next, hasMore: false, running: 0, failed: 0 });
    changes.newItems.push({ ...loop, values, running: 0 });
  }

  /** Null: not known. */
  count({ stepRunId }: LoopKey, most: number): OpenItems | null {
    const known = this.loops.get(stepRunId);
    if (known === undefined) return null;
    const { next, hasMore, running, failed } = known;
    return { pending: hasMore ? most : next.length, running, failed };
  }

  /** With the places of their bodies, where no step is yet. Null: which ones wait, or what is there of them, is not known. */
  start(changes: RunChanges, loop: LoopKey, count: number): { items: number[]; body: LoopItem['body'] } | null {
    const known = this.loops.get(loop.stepRunId);
    if (known === undefined) return null;
    const begun = known.next.slice(0, count);
    if ((begun.length < count && known.hasMore) || begun.some(({ hasBegun }) => hasBegun)) return null;
    known.next.splice(0, begun.length);
    known.running += begun.length;
    const items = begun.map(({ item }) => item);
    const added = changes.newItems.find(({ stepRunId }) => stepRunId === loop.stepRunId);
    if (added === undefined) changes.startedItems.push(...items.map((item) => ({ ...loop, item })));
    else added.running += items.length;
    return { items, body: known.body };
  }

  end(
    changes: RunChanges,
    loop: LoopKey,
    ended: { item: number; status: ItemStatus; output: Json; error: RunError | null },
  ): void {
    const known = this.loops.get(loop.stepRunId);
    if (known !== undefined) {
      known.running -= 1;
      if (ended.status === 'failed') known.failed += 1;
    }
    changes.endedItems.push({ ...loop, ...ended });
  }
}

const itemKey = (stepRunId: string, item: number): string => `${stepRunId}/${item}`;
