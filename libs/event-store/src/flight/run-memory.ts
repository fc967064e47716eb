import type { ItemCounts, Json, RunError } from '#libs/domain';
import type {
  Claimed,
  ClaimedStep,
  LoopKey,
  NewRun,
  NewStepRun,
  RunActivity,
  RunPatch,
  RunRecord,
  ScopePlace,
  StepRunRecord,
} from '#libs/engine';
import { noChanges, type RunChanges, type StepKey } from './run-changes.js';
import { newRunRecord, newStepRecord } from './new-records.js';

/** Of the steps that have not ended, how many are queued or running, wait, and hold the stream while they wait. */
export type OpenSteps = { active: number; waiting: number; holding: number };

/** What is known of a run. `isWhole`: `steps` and `others` are all it has; else all those at `places`. */
export type ReadRun = {
  run: RunRecord | null;
  steps: readonly StepRunRecord[];
  /** Of which no more is known than this. */
  others: readonly ClaimedStep[];
  isWhole: boolean;
  places: readonly ScopePlace[];
  lockedSteps: readonly string[];
  itemValues: readonly (LoopKey & { item: number; value: Json })[];
  /** By the database's clock. */
  now: string;
};

type Items = { counts: ItemCounts; values: readonly Json[] | null };

/**
 * A run as the works of a flight see it: what was read, with what they have changed since. Its lock makes it true: nobody else
 * writes the run, its waiting and ended steps and its items; its locked steps are locked themselves. Without a lock it is what
 * a claim saw, and is compared when the changes are written.
 */
export class RunMemory {
  run: RunRecord | null;
  changes: RunChanges = noChanges();
  readonly now: string;
  private readonly steps = new Map<string, ClaimedStep>();
  /** Those of them that are known as a whole. */
  private readonly records = new Map<string, StepRunRecord>();
  private readonly places: ReadonlySet<string>;
  private readonly lockedSteps: ReadonlySet<string>;
  private readonly itemValues = new Map<string, Json>();
  private readonly items = new Map<string, Items>();
  private isWhole: boolean;
  private open: OpenSteps | null = null;

  constructor(
    readonly projectId: string,
    readonly runId: string,
    read: ReadRun,
  ) {
    this.run = read.run;
    this.now = read.now;
    this.isWhole = read.isWhole;
    for (const step of read.others) this.steps.set(step.stepRunId, step);
    for (const step of read.steps) this.keep(step);
    this.places = new Set(read.places.flatMap(placeKeys));
    this.lockedSteps = new Set(read.lockedSteps);
    for (const { stepRunId, item, value } of read.itemValues) this.itemValues.set(itemKey(stepRunId, item), value);
  }

  private keep(row: StepRunRecord): void {
    this.steps.set(row.stepRunId, row);
    this.records.set(row.stepRunId, row);
  }

  /** Undefined: it is not known. A row may be given as locked when only its locks' holder, or nobody, writes it. */
  lockedStep(stepRunId: string): StepRunRecord | undefined {
    const row = this.records.get(stepRunId);
    if (row === undefined) return undefined;
    const isQuiet = row.status === 'waiting' || row.endedAt !== null;
    return isQuiet || this.lockedSteps.has(stepRunId) ? row : undefined;
  }

  /** Null: not all of them are known. */
  allSteps(): StepRunRecord[] | null {
    return this.isWhole && this.records.size === this.steps.size ? inOrder([...this.records.values()]) : null;
  }

  stepsAt(at: ScopePlace): ClaimedStep[] | null {
    if (!this.isWhole && !placeKeys(at).every((key) => this.places.has(key))) return null;
    const isThere = (row: ClaimedStep): boolean =>
      row.item === at.item && row.round === at.round && at.stepIds.includes(row.stepId);
    return inOrder([...this.steps.values()].filter(isThere));
  }

  itemValue(loop: LoopKey, item: number): { value: Json } | null {
    const value = this.itemValues.get(itemKey(loop.stepRunId, item)) ?? this.items.get(loop.stepRunId)?.values?.[item];
    return value === undefined ? null : { value };
  }

  /** `load`: asked at most once, for what of the run is open in the database. */
  async activity(load: () => Promise<OpenSteps>): Promise<RunActivity> {
    const open = await this.openSteps(load);
    return { isActive: open.active > 0, isWaiting: open.waiting > 0, holdsStream: open.holding > 0 };
  }

  private async openSteps(load: () => Promise<OpenSteps>): Promise<OpenSteps> {
    if (this.isWhole) return sumOpen([...this.steps.values()]);
    if (this.open === null) {
      const { newSteps, succeeded } = this.changes;
      const stored = await load();
      const begun = sumOpen(newSteps.flatMap(({ stepRunId }) => this.steps.get(stepRunId) ?? []));
      const ended = sumOpen(succeeded.flatMap(({ stepRunId }) => this.formerSteps.get(stepRunId) ?? []));
      this.open = plus(plus(stored, begun, 1), ended, -1);
    }
    return this.open;
  }

  /** Rows as they were before they ended here. */
  private readonly formerSteps = new Map<string, StepRunRecord>();

  insertRun(run: NewRun): void {
    this.run = newRunRecord(run, this.now);
    this.isWhole = true;
    this.changes.newRun = { ...run, createdAt: this.now };
  }

  isNew(): boolean {
    return this.changes.newRun !== null;
  }

  /** False: this patch is more than is known here; nothing was changed. */
  updateRun(patch: RunPatch): boolean {
    if (this.run === null || Object.keys(patch).some((key) => !RUN_KEYS.has(key))) return false;
    const { status = this.run.status, statusReason = this.run.statusReason } = patch;
    const earlier = this.changes.run;
    this.changes.run = {
      ...{ projectId: this.projectId, runId: this.runId, status, statusReason },
      started: earlier?.started === true || patch.started === true,
      ended: earlier?.ended === true || patch.ended === true,
      output: patch.output === undefined ? earlier?.output : patch.output,
      error: patch.error === undefined ? earlier?.error : patch.error,
    };
    this.run = {
      ...{ ...this.run, status, statusReason },
      startedAt: patch.started === true ? (this.run.startedAt ?? this.now) : this.run.startedAt,
      endedAt: patch.ended === true ? this.now : this.run.endedAt,
      output: patch.output ?? this.run.output,
      error: patch.error ?? this.run.error,
    };
    return true;
  }

  insertSteps(steps: readonly NewStepRun[]): void {
    for (const step of steps) {
      const row = newStepRecord(this.projectId, step, this.now);
      this.keep(row);
      if (this.open !== null) this.open = plus(this.open, sumOpen([row]), 1);
      this.changes.newSteps.push({ projectId: this.projectId, lane: this.lane(), ...step });
    }
  }

  /** That of the outermost run; null: not known. */
  private lane(): string | null {
    if (this.run === null || this.run.ancestors.length > 0) return null;
    return this.run.concurrency?.key ?? this.run.pipeline;
  }

  /** False: the row is not known, or only in `changes`, where one statement cannot write it twice. */
  succeedStep(stepRunId: string, end: Omit<RunChanges['succeeded'][number], keyof StepKey>): boolean {
    const row = this.records.get(stepRunId);
    if (row === undefined || this.changes.newSteps.some((one) => one.stepRunId === stepRunId)) return false;
    this.formerSteps.set(stepRunId, row);
    const ended = { leaseUntil: null, workerId: null, waitingKey: null, waitingSince: null, dueAt: null };
    const after = { ...row, ...ended, status: 'succeeded', reason: null, output: end.output, error: null } as const;
    this.keep({ ...after, endedAt: this.now });
    if (this.open !== null) this.open = plus(this.open, sumOpen([row]), -1);
    this.changes.succeeded.push({ projectId: this.projectId, stepRunId, ...end });
    return true;
  }

  /** Null: it was not inserted as claimed here, or the rest of its run is not known. */
  claimedStep(stepRunId: string): Claimed | null {
    const step = this.records.get(stepRunId);
    if (this.run === null || step?.status !== 'running') return null;
    return { run: this.run, step, steps: this.isWhole ? [...this.steps.values()] : null, versions: null };
  }

  /** The only new step that is pushed, with what a claim of it would read; null: none, or several. */
  follower(): Omit<Claimed, 'versions'> | null {
    const [first, ...more] = this.changes.newSteps.filter(({ isDispatched }) => isDispatched === true);
    const step = first === undefined ? undefined : this.records.get(first.stepRunId);
    if (this.run === null || step === undefined || more.length > 0 || !this.isWhole) return null;
    return { run: this.run, step, steps: [...this.steps.values()] };
  }

  insertItems(loop: LoopKey, values: readonly Json[]): void {
    const counts = { pending: values.length, running: 0, succeeded: 0, failed: 0, cancelled: 0 };
    this.items.set(loop.stepRunId, { counts, values });
    this.changes.newItems.push({ ...loop, values, running: 0 });
  }

  async countItems(loop: LoopKey, load: () => Promise<ItemCounts>): Promise<ItemCounts> {
    const known = this.items.get(loop.stepRunId);
    if (known !== undefined) return { ...known.counts };
    const counts = await load();
    for (const ended of this.changes.endedItems.filter(({ stepRunId }) => stepRunId === loop.stepRunId)) {
      counts.running -= 1;
      counts[ended.status] += 1;
    }
    this.items.set(loop.stepRunId, { counts, values: null });
    return { ...counts };
  }

  /** Null: which ones are pending is not known. */
  startItems(loop: LoopKey, count: number): number[] | null {
    const known = this.items.get(loop.stepRunId);
    if (known?.counts.pending === 0) return [];
    const added = this.changes.newItems.find(({ stepRunId }) => stepRunId === loop.stepRunId);
    if (known === undefined || added === undefined) return null;
    const from = added.running;
    added.running = Math.min(from + count, added.values.length);
    known.counts.pending -= added.running - from;
    known.counts.running += added.running - from;
    return Array.from({ length: added.running - from }, (_, index) => from + index);
  }

  /** False: the item is only in `changes`. */
  endItem(
    loop: LoopKey,
    ended: { item: number; status: 'succeeded' | 'failed'; output: Json; error: RunError | null },
  ): boolean {
    if (this.changes.newItems.some(({ stepRunId }) => stepRunId === loop.stepRunId)) return false;
    const known = this.items.get(loop.stepRunId);
    if (known !== undefined) {
      known.counts.running -= 1;
      known.counts[ended.status] += 1;
    }
    this.changes.endedItems.push({ ...loop, ...ended });
    return true;
  }
}

const RUN_KEYS: ReadonlySet<string> = new Set(['status', 'statusReason', 'output', 'error', 'started', 'ended']);
/** Kinds that wait between steps: the stream may go to others meanwhile. */
const BETWEEN_STEPS: ReadonlySet<string> = new Set(['approval', 'wait_for', 'sleep', 'for_each', 'repeat']);

function sumOpen(rows: readonly ClaimedStep[]): OpenSteps {
  const open = { active: 0, waiting: 0, holding: 0 };
  for (const { endedAt, status, kind } of rows) {
    if (endedAt !== null) continue;
    if (status === 'queued' || status === 'running') open.active += 1;
    if (status !== 'waiting') continue;
    open.waiting += 1;
    if (!BETWEEN_STEPS.has(kind)) open.holding += 1;
  }
  return open;
}

const plus = (a: OpenSteps, b: OpenSteps, sign: 1 | -1): OpenSteps => ({
  active: a.active + sign * b.active,
  waiting: a.waiting + sign * b.waiting,
  holding: a.holding + sign * b.holding,
});

const placeKeys = ({ stepIds, item, round }: ScopePlace): string[] =>
  stepIds.map((stepId) => `${stepId}/${item ?? ''}/${round}`);
const itemKey = (stepRunId: string, item: number): string => `${stepRunId}/${item}`;

/** In the order in which they became runnable, as the store reads them. */
const inOrder = <Step extends ClaimedStep>(rows: Step[]): Step[] =>
  rows.sort((a, b) => Date.parse(a.queuedAt) - Date.parse(b.queuedAt) || (a.stepRunId < b.stepRunId ? -1 : 1));
