import type { Json, NewEvent, StoredEvent } from '#libs/domain';
import type { CompactionTransaction } from './compaction-store.port.js';
import type {
  AppendResult,
  AppendUnit,
  EventDigest,
  ReadDigests,
  ReadStream,
  StreamVersion,
} from './event-log.port.js';
import type { TriggerStore, TriggerTransaction } from './trigger-store.port.js';
import type { ScopePlace, ScopeStep, WaitStore, WaitTransaction } from './wait-store.port.js';
import type {
  JournalSize,
  RunRecord,
  StepUsage,
  StepLease,
  StepRunRecord,
  NewRun,
  RunPatch,
  NewStepRun,
  StepRunPatch,
} from './run-records.port.js';

export type WaitKind = 'timer' | 'signal' | 'approval' | 'compaction' | 'children';

/**
 * One transaction. Lock order: run, step_run, compaction, stream (streams sorted): call the locks in that order.
 * Everything is projected in it together with the events appended by `append`.
 */
export interface RunTransaction extends CompactionTransaction, WaitTransaction, TriggerTransaction {
  /** The events that were stored in it so far, in this order: those that `append` found there already are not among them. */
  readonly recorded: readonly NewEvent[];
  /** When the transaction began, by the database's clock: whole ms since 1970. What it writes as due in so many ms counts from then. */
  now(): Promise<number>;
  lockRun(projectId: string, runId: string): Promise<RunRecord | null>;
  /** Locks and returns the step run, or null when it does not exist. The caller compares `fence`. */
  lockStepRun(projectId: string, stepRunId: string): Promise<StepRunRecord | null>;
  stepRuns(projectId: string, runId: string): Promise<StepRunRecord[]>;
  /** Creates missing stream rows and locks them, in sorted order. */
  lockStreams(projectId: string, streamIds: readonly string[]): Promise<Map<string, StreamVersion>>;
  /** As EventLog.append, within this transaction; any refusal is returned, never half done. */
  append(units: readonly AppendUnit[]): Promise<AppendResult[]>;
  /**
   * Appends without conditions, at the end of the transaction at the latest: what is read in it later need not see them.
   * @throws AppError `append_refused` (then or at the end): an id is used for two bodies, nothing is written.
   */
  record(units: readonly AppendUnit[]): Promise<void>;
  /**
   * As EventLog.read, on this transaction's connection. Work in a transaction must not read through the pool: it holds
   * locks, and when everybody who waits for them holds a connection too, none is left for it.
   */
  read(query: ReadStream): Promise<StoredEvent[]>;
  /** As EventLog.digests. */
  digests(query: ReadDigests): Promise<EventDigest[]>;

  insertRun(run: NewRun): Promise<void>;
  updateRun(projectId: string, runId: string, patch: RunPatch): Promise<void>;
  insertStepRuns(projectId: string, steps: readonly NewStepRun[]): Promise<void>;
  updateStepRun(projectId: string, stepRunId: string, patch: StepRunPatch): Promise<void>;
  /** A step of a locked run that was inserted as running in this transaction, as its claim would give it. */
  claimedStep(projectId: string, stepRunId: string): Promise<Claimed>;

  /** True when the run holds its stream now: it was free (or shared by all), the run is the first in line. Lock the stream first. */
  acquireStream(run: Pick<RunRecord, 'projectId' | 'streamId' | 'runId' | 'exclusive'>): Promise<boolean>;
  releaseStream(run: Pick<RunRecord, 'projectId' | 'streamId' | 'runId'>): Promise<void>;
  /** As RunStore.streamHolder, and nobody takes it until the transaction ends. Lock the stream first. */
  streamHolder(projectId: string, streamId: string): Promise<{ runId: string; since: string } | null>;

  addWait(
    projectId: string,
    stepRunId: string,
    wait: { kind: WaitKind; key: string; dueInMs: number | null },
  ): Promise<void>;
  removeWaits(projectId: string, stepRunId: string): Promise<void>;
  /** What a step run waits for; `isDue`: its time is over. */
  waitsOf(
    projectId: string,
    stepRunId: string,
  ): Promise<{ kind: WaitKind; key: string; isDue: boolean; waitedMs: number }[]>;
  /** Step runs that wait for this key. */
  waiters(projectId: string, kind: WaitKind, key: string): Promise<string[]>;

  /**
   * Insert-first: `new` when this caller owns the key; `stored` with the answer of the first (a second one in flight
   * waits here for the first's transaction); `mismatch` when the body differs.
   */
  claimIdempotencyKey(
    key: IdempotencyKey,
  ): Promise<{ status: 'new' } | { status: 'stored'; httpStatus: number; body: Json } | { status: 'mismatch' }>;
  storeIdempotentAnswer(key: IdempotencyKey, httpStatus: number, body: Json): Promise<void>;
}

export type IdempotencyKey = { projectId: string; scope: string; key: string; requestHash: string };

/** An element of a `for_each` (`stepRunId`). `body`: where the steps of any of its elements stand when it begins. */
export type LoopItem = {
  stepRunId: string;
  item: number;
  maxParallel: number;
  body: readonly Omit<ScopePlace, 'item'>[];
};

/** What work on one run locks and reads, told before it begins so that it can be locked and read for many works at once. */
export type RunWork = {
  projectId: string;
  runId: string;
  /** The step that it is about; null: none. */
  stepRunId: string | null;
  /** Where it decides about steps. */
  places: readonly ScopePlace[];
  /** Elements of loops that its expressions may ask for, and that may end with it. */
  items: readonly LoopItem[];
  /** What is known of the run without a lock: what its step's claim saw, or that there is no such run yet; null: nothing. */
  seen: Claimed | 'no_run' | null;
};

export type ClaimedStep = ScopeStep & Pick<StepRunRecord, 'stepRunId' | 'queuedAt' | 'endedAt'>;

/** Versions of rows: of the run's, and of its steps other than the claimed one how many there are and the sum. Each write makes a version higher. */
export type RunVersions = { run: number; others: number; othersSum: number };

/** `steps`: all of the run as they were at the claim; null: too many of them to bring along. `versions`: by which to tell whether all of this still holds; null: not known. */
export type Claimed = {
  run: RunRecord;
  step: StepRunRecord;
  steps: readonly ClaimedStep[] | null;
  versions: RunVersions | null;
};

export interface RunStore extends WaitStore, TriggerStore {
  /** Runs `work` in one read-committed transaction; retries it on serialization failure or deadlock (work must be repeatable). */
  transact<T>(work: (tx: RunTransaction) => Promise<T>): Promise<T>;
  /**
   * As `transact`, for short work on one run. What is ready at the same time shares a transaction, each with its run locked; one
   * work's failure does not fail the others. Work must begin with `lockRun` (or `insertRun`), wait for nothing but `tx`, and be
   * repeatable: it may be done by what is `seen` of the run first, and again under its lock when that does not hold any more.
   * `underWay`: called, once at most, with what the work returned when that has been sent to be stored and is not known to be. Must not throw.
   */
  transactRun<T>(about: RunWork, work: (tx: RunTransaction) => Promise<T>, underWay?: (decided: T) => void): Promise<T>;

  /**
   * The claim: one UPDATE … RETURNING that raises the fence, if dispatch_no fits and the step is queued.
   * Sets started_at to now if it is null, and timeout_at to now + timeout_ms if it is null.
   * Null: another worker has or had it, it ended, or a newer dispatch exists; the job ends quietly.
   */
  claimStep(claim: StepLease & { stepRunId: string; dispatchNo: number }): Promise<Claimed | null>;
  /**
   * A step that this process made runnable itself, as it was written: queued, `dispatchNo` 1. Nobody may have claimed it, for all
   * that is known here. Given out once; null: not known, or nothing that one should go by.
   */
  recallStep(stepRunId: string): Promise<Claimed | null>;
  /** Those that come back are held; `cancelRequested` tells those whose run is to be cancelled. */
  heartbeat(
    held: readonly { stepRunId: string; fence: number }[],
    leaseMs: number,
    workerBytes: number,
  ): Promise<Map<string, { cancelRequested: boolean }>>;

  /**
   * Marks as dispatched and returns up to `limit` runnable step runs (skip locked): those of the highest priority, projects in
   * turn, in each its concurrency keys in turn, of each the oldest first. Fewer may come although more wait: ask until none does.
   */
  takeRunnable(limit: number): Promise<{ stepRunId: string; dispatchNo: number; priority: number }[]>;
  /** Marks exactly these (what a process just made runnable) as dispatched; returns those that still were undispatched. */
  takeThese(stepRunIds: readonly string[]): Promise<{ stepRunId: string; dispatchNo: number; priority: number }[]>;
  /** Gives back what could not be pushed: dispatched_at null again. */
  undispatch(jobs: readonly { stepRunId: string; dispatchNo: number }[]): Promise<void>;

  /** For the sweeper; each returns ids, oldest first, at most `limit`. */
  findExpiredLeases(limit: number): Promise<StepRunRecord[]>;
  findDispatched(olderThanMs: number, limit: number): Promise<{ stepRunId: string; dispatchNo: number }[]>;
  /** New dispatch for jobs that the queue lost: dispatch_no + 1, dispatched_at null, if still queued under that number. */
  redispatch(jobs: readonly { stepRunId: string; dispatchNo: number }[]): Promise<void>;
  /** All that is outstanding in the queue (after a Redis loss): the same for every dispatched queued step. Returns how many. */
  redispatchAll(): Promise<number>;
  findDueWaits(limit: number): Promise<{ projectId: string; runId: string; stepRunId: string }[]>;
  findDueRuns(limit: number): Promise<{ projectId: string; runId: string }[]>;
  /** `asOf`: the database's time when it looked. */
  findDueSteps(limit: number): Promise<{ projectId: string; runId: string; stepRunId: string; asOf: string }[]>;
  /** Queued runs whose stream is free. */
  findStartableRuns(limit: number): Promise<{ projectId: string; runId: string }[]>;
  /** Running or waiting runs with no step queued, running or waiting. */
  findStuckRuns(limit: number): Promise<{ projectId: string; runId: string }[]>;
  /** The next queued run of a stream that has just been released, if any. */
  nextOnStream(projectId: string, streamId: string): Promise<string | null>;
  /** Of what is in the log about a step, beginnings left out (`BEGINNINGS`): whether it got anywhere. */
  lastPositionOfStep(step: Pick<StepRunRecord, 'projectId' | 'runId' | 'stepId' | 'item'>): Promise<number>;
  journalSizeOfStep(step: Pick<StepRunRecord, 'projectId' | 'runId' | 'stepId' | 'item'>): Promise<JournalSize>;

  getRun(projectId: string, runId: string): Promise<RunRecord | null>;
  getStepRun(stepRunId: string): Promise<StepRunRecord | null>;
  stepRunsOf(projectId: string, runId: string): Promise<StepRunRecord[]>;
  /** Who holds a stream, the longest first in line; null: free. */
  streamHolder(projectId: string, streamId: string): Promise<{ runId: string; since: string } | null>;
  /** The runs that are under way with the concurrency key of a run, the oldest first, at most `limit`. */
  concurrencyHolders(
    run: Pick<RunRecord, 'projectId' | 'runId' | 'pipeline' | 'concurrency'>,
    limit: number,
  ): Promise<string[]>;
  /** Sum over steps and compactions. */
  usageOfRun(projectId: string, runId: string): Promise<StepUsage>;

  /** The database's clock: whole ms since 1970. One clock for all processes. */
  now(): Promise<number>;
  /** The installation's shared facts (queue backend, epoch). Returns the value that holds, the first writer wins. */
  installationFact(name: string, proposed: Json): Promise<Json>;
  /** Runs that are to be cancelled, of those given: the poll behind the published wake-up. */
  cancelRequested(runIds: readonly string[]): Promise<string[]>;
}
