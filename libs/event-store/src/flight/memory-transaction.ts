import type { Json, NewEvent, OpenItems } from '#libs/domain';
import type {
  AnnouncedEvent,
  AppendResult,
  AppendUnit,
  Claimed,
  LoopKey,
  NewRun,
  NewStepRun,
  RunActivity,
  RunPatch,
  RunRecord,
  RunTransaction,
  ScopePlace,
  ScopeStep,
  StepRunPatch,
  StepRunRecord,
  StreamVersion,
} from '#libs/engine';
import { findActivity } from '../operations/find-step-run.js';
import { writeRunChanges } from '../operations/write-run-changes.js';
import { runTransaction } from '../run-transaction.js';
import type { Session } from '../session.js';
import { noChanges } from './run-changes.js';
import type { RunMemory } from './run-memory.js';

/**
 * A run's part in a flight's transaction: answers from what was read under the locks, gathers what is to be written. The first
 * operation that this does not know writes what was gathered and goes to the database, as all do after it.
 */
export function memoryTransaction(memory: RunMemory, open: () => Session): RunTransaction {
  // The class has the other operations too: see its static block.
  return new MemoryTransaction(memory, open) as unknown as RunTransaction;
}

/** Every operation of the port. */
const OPERATIONS: readonly string[] = Object.keys(
  runTransaction(() => {
    throw new Error('there is no session: only the names are asked for');
  }),
);

type Known = Pick<
  RunTransaction,
  | 'recorded'
  | 'lockRun'
  | 'lockStepRun'
  | 'stepRuns'
  | 'stepRunsAt'
  | 'activity'
  | 'insertRun'
  | 'updateRun'
  | 'insertStepRuns'
  | 'updateStepRun'
  | 'claimedStep'
  | 'append'
  | 'record'
  | 'announce'
  | 'itemValue'
  | 'insertItems'
  | 'countItems'
  | 'startItems'
  | 'endItem'
  | 'hasConcurrencySlot'
  | 'lockStreams'
  | 'acquireStream'
  | 'releaseStream'
>;

/** A class, since one is made for each work: its operations are made once. */
class MemoryTransaction implements Known {
  readonly recorded: NewEvent[] = [];
  private direct: Promise<RunTransaction> | null = null;

  static {
    for (const name of OPERATIONS) {
      if (Object.hasOwn(this.prototype, name)) continue;
      const leaving = async function (this: MemoryTransaction, ...given: unknown[]): Promise<unknown> {
        const target: object = await this.leave();
        return (Reflect.get(target, name) as (...given: unknown[]) => unknown)(...given);
      };
      Object.defineProperty(this.prototype, name, { value: leaving });
    }
  }

  constructor(
    private readonly memory: RunMemory,
    private readonly open: () => Session,
  ) {}

  /** Once, and whatever is asked for meanwhile comes after what was gathered. */
  private leave(): Promise<RunTransaction> {
    return (this.direct ??= this.writeGathered());
  }

  private async writeGathered(): Promise<RunTransaction> {
    const { changes } = this.memory;
    this.memory.changes = noChanges();
    await writeRunChanges(this.open(), [changes]);
    return runTransaction(this.open, this.recorded);
  }

  /** Null: the memory was left. */
  private get known(): RunMemory | null {
    return this.direct === null ? this.memory : null;
  }

  /** Null also of another run. */
  private knownOf(projectId: string, runId: string): RunMemory | null {
    const { memory } = this;
    return this.direct === null && projectId === memory.projectId && runId === memory.runId ? memory : null;
  }

  async lockRun(projectId: string, runId: string): Promise<RunRecord | null> {
    const known = this.knownOf(projectId, runId);
    return known === null ? (await this.leave()).lockRun(projectId, runId) : known.run;
  }

  async lockStepRun(projectId: string, stepRunId: string): Promise<StepRunRecord | null> {
    return this.known?.lockedStep(stepRunId) ?? (await this.leave()).lockStepRun(projectId, stepRunId);
  }

  async stepRuns(projectId: string, runId: string): Promise<StepRunRecord[]> {
    return this.knownOf(projectId, runId)?.allSteps() ?? (await this.leave()).stepRuns(projectId, runId);
  }

  async stepRunsAt(projectId: string, runId: string, at: ScopePlace): Promise<ScopeStep[]> {
    return this.knownOf(projectId, runId)?.stepsAt(at) ?? (await this.leave()).stepRunsAt(projectId, runId, at);
  }

  async activity(projectId: string, runId: string): Promise<RunActivity> {
    const known = this.knownOf(projectId, runId);
    if (known === null) return (await this.leave()).activity(projectId, runId);
    return known.activity((without) => findActivity(this.open(), projectId, runId, without));
  }

  async insertRun(run: NewRun): Promise<void> {
    const known = this.knownOf(run.projectId, run.runId);
    if (known !== null && known.run === null && run.delayMs === null) known.insertRun(run);
    else await (await this.leave()).insertRun(run);
  }

  async updateRun(projectId: string, runId: string, patch: RunPatch): Promise<void> {
    if (this.knownOf(projectId, runId)?.updateRun(patch) !== true)
      await (await this.leave()).updateRun(projectId, runId, patch);
  }

  async insertStepRuns(projectId: string, steps: readonly NewStepRun[]): Promise<void> {
    const { known } = this;
    // The rows of retried steps are there already.
    if (known === null || steps.some(({ attempt }) => attempt > 1))
      await (await this.leave()).insertStepRuns(projectId, steps);
    else known.insertSteps(steps);
  }

  async updateStepRun(projectId: string, stepRunId: string, patch: StepRunPatch): Promise<void> {
    const { status, reason, output, error, ended, moreToolCalls = 0, beganMsAgo = null, ...more } = patch;
    const hasSucceeded = status === 'succeeded' && reason === null && error === null && ended === true;
    const isSimple = hasSucceeded && output !== undefined && Object.keys(more).length === 0;
    if (!isSimple || this.known?.succeedStep(stepRunId, { output, moreToolCalls, beganMsAgo }) !== true)
      await (await this.leave()).updateStepRun(projectId, stepRunId, patch);
  }

  async claimedStep(projectId: string, stepRunId: string): Promise<Claimed> {
    const known = projectId === this.memory.projectId ? this.known : null;
    return known?.claimedStep(stepRunId) ?? (await this.leave()).claimedStep(projectId, stepRunId);
  }

  async append(units: readonly AppendUnit[]): Promise<AppendResult[]> {
    return (await this.leave()).append(units);
  }

  async record(units: readonly AppendUnit[]): Promise<void> {
    const { known } = this;
    if (known === null) return (await this.leave()).record(units);
    known.changes.units.push(...units);
    for (const { events } of units) this.recorded.push(...events);
  }

  async announce(projectId: string, events: readonly AnnouncedEvent[], newId: () => string): Promise<void> {
    const { known } = this;
    if (known === null) return (await this.leave()).announce(projectId, events, newId);
    known.changes.announced.push({ projectId, events, newId });
  }

  async itemValue(loop: LoopKey, item: number): Promise<{ value: Json } | null> {
    return this.known?.itemValue(loop, item) ?? (await this.leave()).itemValue(loop, item);
  }

  async insertItems(loop: LoopKey, values: readonly Json[]): Promise<void> {
    const { known } = this;
    if (known === null) return (await this.leave()).insertItems(loop, values);
    known.insertItems(loop, values);
  }

  async countItems(loop: LoopKey, most: number): Promise<OpenItems> {
    return this.known?.countItems(loop, most) ?? (await this.leave()).countItems(loop, most);
  }

  async startItems(loop: LoopKey, count: number): Promise<number[]> {
    return this.known?.startItems(loop, count) ?? (await this.leave()).startItems(loop, count);
  }

  async endItem(loop: LoopKey, ended: Parameters<RunTransaction['endItem']>[1]): Promise<void> {
    const { known } = this;
    if (known === null) return (await this.leave()).endItem(loop, ended);
    known.endItem(loop, ended);
  }

  async hasConcurrencySlot(run: Parameters<RunTransaction['hasConcurrencySlot']>[0]): Promise<boolean> {
    return (this.known !== null && run.concurrency === null) || (await this.leave()).hasConcurrencySlot(run);
  }

  async lockStreams(projectId: string, streamIds: readonly string[]): Promise<Map<string, StreamVersion>> {
    if (!streamIds.every((streamId) => this.hasNew(streamId)))
      return (await this.leave()).lockStreams(projectId, streamIds);
    return new Map(streamIds.map((streamId) => [streamId, { streamId, version: 0, entries: 0, erasures: 0 }]));
  }

  async acquireStream(run: Parameters<RunTransaction['acquireStream']>[0]): Promise<boolean> {
    if (!this.hasNew(run.streamId)) return (await this.leave()).acquireStream(run);
    this.memory.changes.taken.push(run);
    return true;
  }

  async releaseStream(run: Parameters<RunTransaction['releaseStream']>[0]): Promise<void> {
    const { known } = this;
    if (known === null) return (await this.leave()).releaseStream(run);
    const { projectId, streamId, runId } = run;
    known.changes.released.push({ projectId, streamId, runId });
  }

  /** A run that is made here on a stream of its own name has that stream: nobody else can know the name yet. */
  private hasNew(streamId: string): boolean {
    const { known } = this;
    return known !== null && known.isNew() && streamId === known.runId && known.run?.streamId === known.runId;
  }
}
