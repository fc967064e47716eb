import type { PipelineDefinition, RunStatus } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import type { RunRecord, StepLease } from '../ports/run-records.port.js';
import type { StepJob } from '../ports/step-queue.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import type { RunRecorder } from './run-recorder.js';

/** A run under its lock, in a transaction. */
export type Advance = {
  deps: EngineDeps;
  tx: RunTransaction;
  run: RunRecord;
  definition: PipelineDefinition;
  recorder: RunRecorder;
  /** Under which the worker that ended a step may go on with the next one at once. */
  lease?: StepLease;
  /** A worker's step ends here: one that follows takes its place. */
  endsStep?: true;
};

/** What to do once the transaction has committed. Each has a poll behind it. */
/** Step runs that the commit makes runnable. */
export type ToPush = {
  runnable: string[];
  /** Marked as dispatched already: they only have to be pushed. */
  dispatched: StepJob[];
};

export type Advanced = ToPush & {
  projectId: string;
  runId: string;
  streamId: string;
  /** The step that its worker goes on with; null: none. */
  next: string | null;
  /** Step runs that a worker may hold and that ended without it. */
  stopped: string[];
  /** Steps that ended while a run that they started goes on. */
  childrenOf: string[];
  /** The run waits between steps: others may have its stream. */
  streamReleased: boolean;
  ended: RunStatus | null;
  /** Of a run that ended: who waits for it. */
  parentStepRunId: string | null;
  concurrency: { pipeline: string; key: string } | null;
};

export function nothingYet(run: RunRecord): Advanced {
  return {
    projectId: run.projectId,
    runId: run.runId,
    streamId: run.streamId,
    runnable: [],
    dispatched: [],
    next: null,
    stopped: [],
    childrenOf: [],
    streamReleased: false,
    ended: null,
    parentStepRunId: run.parentStepRunId,
    concurrency: run.concurrency === null ? null : { pipeline: run.pipeline, key: run.concurrency.key },
  };
}
