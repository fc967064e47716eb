import type { ItemStatus, Json, OpenItems, RunError } from '#libs/domain';
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
import { LoopMemory, type ReadLoop } from './loop-memory.js';
import { noChanges, type RunChanges, type StepKey } from './run-changes.js';
import { newRunRecord, newStepRecord } from './new-records.js';

/** What is known of a run. `isWhole`: `steps` and `others` are all it has; else all those at `places`. */
export type ReadRun = {
  run: RunRecord | null;
  steps: readonly StepRunRecord[];
  /** Of which no more is known than this. */
  others: readonly ClaimedStep[];
  isWhole: boolean;
  places: readonly ScopePlace[];
  lockedSteps: readonly string[];
  loops: readonly ReadLoop[];
  /** By the database's clock. */
  now: string;
};

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
  /** Of each place that is known, the step that stands there. */
  private readonly byPlace = new Map<string, string>();
  private readonly places: Set<string>;
  private readonly lockedSteps: ReadonlySet<string>;
  private readonly loops: LoopMemory;
  private isWhole: boolean;

  constructor(
    readonly projectId: string,
    readonly runId: string,
    read: ReadRun,
  ) {
    this.run = read.run;
    this.now = read.now;
    this.isWhole = read.isWhole;
    for (const step of read.others) this.see(step);
    for (const step of read.steps) this.keep(step);
    this.places = new Set(read.places.flatMap(placeKeys));
    this.lockedSteps = new Set(read.lockedSteps);
    this.loops = new LoopMemory(read.loops);
  }

  private see(step: ClaimedStep): void {
    this.steps.set(step.stepRunId, step);
    this.byPlace.set(placeKey(step.stepId, step), step.stepRunId);
  }

  private keep(row: StepRunRecord): void {
    this.see(row);
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
    const keys = placeKeys(at);
    if (!this.isWhole && !keys.every((key) => this.places.has(key))) return null;
    return inOrder(keys.flatMap((key) => this.steps.get(this.byPlace.get(key) ?? '') ?? []));
  }

  itemValue(loop: LoopKey, item: number): { value: Json } | null {
    return this.loops.value(loop, item);
  }

  /** `load`: of what is stored, without these steps, which have ended here. Not asked while something is known to be active. */
  async activity(load: (without: string[]) => Promise<RunActivity>): Promise<RunActivity> {
    const known = activityOf(this.steps.values());
    if (known.isActive || this.isWhole) return known;
    const stored = await load(this.changes.succeeded.map(({ stepRunId }) => stepRunId));
    return {
      isActive: stored.isActive,
      isWaiting: stored.isWaiting || (known.isWaiting && !stored.isActive),
      holdsStream: stored.holdsStream || (known.holdsStream && !stored.isActive),
    };
  }

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
      projectId: this.projectId,
      runId: this.runId,
      status,
      statusReason,
      started: earlier?.started === true || patch.started === true,
      ended: earlier?.ended === true || patch.ended === true,
      output: patch.output === undefined ? earlier?.output : patch.output,
      error: patch.error === undefined ? earlier?.error : patch.error,
    };
    this.run = {
      ...this.run,
      status,
      statusReason,
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
    this.keep({
      ...row,
      leaseUntil: null,
      workerId: null,
      waitingKey: null,
      waitingSince: null,
      dueAt: null,
      status: 'succeeded',
      reason: null,
      output: end.output,
      error: null,
      endedAt: this.now,
    });
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
    this.loops.insert(this.changes, loop, values);
  }

  countItems(loop: LoopKey, most: number): OpenItems | null {
    return this.loops.count(loop, most);
  }

  /** Null: which ones are pending is not known. */
  startItems(loop: LoopKey, count: number): number[] | null {
    const started = this.loops.start(this.changes, loop, count);
    if (started === null) return null;
    const { items, body } = started;
    for (const item of items)
      for (const place of body) for (const key of placeKeys({ ...place, item })) this.places.add(key);
    return items;
  }

  endItem(loop: LoopKey, ended: { item: number; status: ItemStatus; output: Json; error: RunError | null }): void {
    this.loops.end(this.changes, loop, ended);
  }
}

const RUN_KEYS: ReadonlySet<string> = new Set(['status', 'statusReason', 'output', 'error', 'started', 'ended']);
/** Kinds that wait between steps: the stream may go to others meanwhile. */
const BETWEEN_STEPS: ReadonlySet<string> = new Set(['approval', 'wait_for', 'sleep', 'for_each', 'repeat']);

function activityOf(steps: Iterable<ClaimedStep>): RunActivity {
  const waits = { isWaiting: false, holdsStream: false };
  for (const { endedAt, status, kind } of steps) {
    if (endedAt !== null) continue;
    if (status === 'queued' || status === 'running') return { isActive: true, isWaiting: false, holdsStream: false };
    if (status !== 'waiting') continue;
    waits.isWaiting = true;
    if (!BETWEEN_STEPS.has(kind)) waits.holdsStream = true;
  }
  return { isActive: false, ...waits };
}

const placeKey = (stepId: string, { item, round }: Pick<ScopePlace, 'item' | 'round'>): string =>
  `${stepId}/${item ?? ''}/${round}`;
const placeKeys = ({ stepIds, ...at }: ScopePlace): string[] => stepIds.map((stepId) => placeKey(stepId, at));

/** In the order in which they became runnable, as the store reads them. */
const inOrder = <Step extends ClaimedStep>(rows: Step[]): Step[] =>
  rows.sort((a, b) => Date.parse(a.queuedAt) - Date.parse(b.queuedAt) || (a.stepRunId < b.stepRunId ? -1 : 1));
