import type {
  ApprovalDecision,
  ApprovalKind,
  ItemStatus,
  Json,
  JsonObject,
  OpenItems,
  RunError,
  StoredSpendLimit,
} from '#libs/domain';
import type { RunRecord, StepRunRecord } from './run-records.port.js';

/** Where steps of one scope stand: `item` and `round` are the same for all of them. */
export type ScopePlace = { stepIds: readonly string[]; item: number | null; round: number };

export type LoopKey = { projectId: string; stepRunId: string };

export type ItemRecord = { item: number; status: ItemStatus; value: Json; output: Json; error: RunError | null };

export type ApprovalRecord = {
  projectId: string;
  approvalId: string;
  runId: string;
  stepRunId: string;
  stepId: string;
  item: number | null;
  round: number;
  /** Of a tool's call; null for approval steps. */
  callNo: number | null;
  ordinal: number | null;
  kind: ApprovalKind;
  status: 'pending' | 'approved' | 'denied' | 'cancelled';
  prompt: string;
  /** JSON Schema of what the person fills in. */
  form: JsonObject | null;
  tool: string | null;
  /** As the model wrote them. */
  arguments: string | null;
  dueAt: string | null;
  decisionForm: Json;
  decisionComment: string | null;
  /** What the call is made with instead; null: as requested. */
  decisionArguments: string | null;
  decidedBy: string | null;
  requestedAt: string;
  decidedAt: string | null;
};

export type NewApproval = Pick<
  ApprovalRecord,
  | 'projectId'
  | 'approvalId'
  | 'runId'
  | 'stepRunId'
  | 'stepId'
  | 'item'
  | 'round'
  | 'callNo'
  | 'ordinal'
  | 'kind'
  | 'prompt'
  | 'form'
  | 'tool'
  | 'arguments'
> & { dueInMs: number | null };

export type DecidedApproval = {
  projectId: string;
  approvalId: string;
  decision: ApprovalDecision;
  form: Json;
  comment: string | null;
  arguments: string | null;
  decidedBy: string | null;
};

/** `waitKey`: the hash of name and key that waits are found by. */
export type NewSignal = {
  projectId: string;
  signalId: string;
  name: string;
  key: string;
  waitKey: string;
  payload: Json;
};
export type SignalRecord = { signalId: string; name: string; key: string; payload: Json; sentAt: string };

export type RunStandingFacts = {
  /** The run or one around it. */
  isPaused: boolean;
  /** Of the run and those around it, where they have a limit. */
  spending: { runId: string; limit: StoredSpendLimit; spent: { tokens: number; costUsd: number; toolCalls: number } }[];
};

/**
 * What of a run is under way. `isWaiting` and `holdsStream` (something waits in the middle of a conversation or an action) are told
 * only when nothing is active.
 */
export type RunActivity = { isActive: boolean; isWaiting: boolean; holdsStream: boolean };

/** What a decision sees of a step. */
export type ScopeStep = Pick<
  StepRunRecord,
  'stepId' | 'item' | 'round' | 'kind' | 'status' | 'reason' | 'attempt' | 'output' | 'error'
>;

export interface ScopeReader {
  /** These steps at one place; outputs of other items are not read. */
  stepRunsAt(projectId: string, runId: string, at: ScopePlace): Promise<ScopeStep[]>;
  /** An element of a `for_each`; null when it is not there. */
  itemValue(loop: LoopKey, item: number): Promise<{ value: Json } | null>;
}

/** Loops, approvals, signals and slots within a transaction. Lock order: run, step_run, approval or signal, stream. */
export interface WaitTransaction extends ScopeReader {
  /** Those that have not ended. */
  openStepRuns(projectId: string, runId: string): Promise<StepRunRecord[]>;
  activity(projectId: string, runId: string): Promise<RunActivity>;
  standing(projectId: string, runId: string): Promise<RunStandingFacts>;

  insertItems(loop: LoopKey, values: readonly Json[]): Promise<void>;
  /** Begins the first `count` that have not begun; their numbers in order. */
  startItems(loop: LoopKey, count: number): Promise<number[]>;
  endItem(
    loop: LoopKey,
    ended: { item: number; status: ItemStatus; output: Json; error: RunError | null },
  ): Promise<void>;
  /** Those that have not ended; their numbers in order. */
  cancelItems(loop: LoopKey): Promise<number[]>;
  reopenItems(loop: LoopKey, reopened: { running: readonly number[]; pending: readonly number[] }): Promise<void>;
  /** Those that wait and run up to `most`, which is as many as may run; `failed`: at least one, or 0. */
  countItems(loop: LoopKey, most: number): Promise<OpenItems>;
  /** In order. Read once, when all have ended. */
  items(loop: LoopKey): Promise<ItemRecord[]>;

  insertApproval(approval: NewApproval): Promise<void>;
  lockApproval(projectId: string, approvalId: string): Promise<ApprovalRecord | null>;
  approvalsOfStep(projectId: string, stepRunId: string): Promise<ApprovalRecord[]>;
  storeDecision(decided: DecidedApproval): Promise<void>;
  /** Of a step that ended without them. */
  cancelApprovals(projectId: string, stepRunId: string): Promise<void>;

  /** Until the end of the transaction senders and waiters of this signal go one after the other. */
  lockSignal(projectId: string, waitKey: string): Promise<void>;
  insertSignal(signal: NewSignal): Promise<void>;
  /** The oldest that nobody took. */
  takeSignal(projectId: string, waitKey: string, stepRunId: string): Promise<SignalRecord | null>;

  /** Whether the run may begin under its concurrency key; serialised per key until the transaction ends. */
  hasConcurrencySlot(run: Pick<RunRecord, 'projectId' | 'runId' | 'pipeline' | 'concurrency'>): Promise<boolean>;
  /** Whether its time to start is still to come, by the database's clock. */
  isDelayed(run: Pick<RunRecord, 'runId'>): Promise<boolean>;
}

type StepKey = { projectId: string; runId: string; stepRunId: string };

/** The same outside a transaction, and what the sweeper looks for. */
export interface WaitStore extends ScopeReader {
  standing(projectId: string, runId: string): Promise<RunStandingFacts>;
  getApproval(projectId: string, approvalId: string): Promise<ApprovalRecord | null>;
  approvalsOfStep(projectId: string, stepRunId: string): Promise<ApprovalRecord[]>;
  /** Steps of the run and its child runs. */
  stepsWaitingFor(projectId: string, runId: string, reason: 'paused' | 'spend_limit'): Promise<StepKey[]>;
  nextOfConcurrency(at: { projectId: string; pipeline: string; key: string }): Promise<string | null>;
  /** Runs under way that these steps started. */
  openChildren(stepRunIds: readonly string[]): Promise<string[]>;
  findSignalledWaits(limit: number): Promise<StepKey[]>;
  /** Steps that wait for a run they started, or for the result of one, which has ended. */
  findEndedChildWaits(limit: number): Promise<(StepKey & { childId: string })[]>;
  /** Steps that wait for a pause or a limit to be lifted; some of them, others the next time. */
  findParkedSteps(limit: number): Promise<StepKey[]>;
  /** Child runs under way whose step has ended. */
  findOrphanedRuns(limit: number): Promise<{ projectId: string; runId: string }[]>;
}
