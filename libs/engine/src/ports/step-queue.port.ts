/** Wake-ups. Job data is ids only; losing all of them costs seconds, not runs. */
export type StepJob = { stepRunId: string; dispatchNo: number; priority: number };
export type CompactionJob = { compactionId: string; dispatchNo: number };

export interface StepQueue {
  /** How many more jobs admission lets in now (at most twice the workers' capacity waits in the queue). */
  room(): Promise<number>;
  /**
   * Takes a part of the room that was seen last, without asking: as many of `count` may be pushed at once. 0 when that was too
   * long ago. What is not pushed after all is forgotten soon.
   */
  reserve(count: number): number;
  /** This process took a job: there is room for one more. */
  jobTaken(): void;
  /** A job of this process ends, and one that follows it is pushed: whoever takes jobs then takes one more, so nobody is asked. */
  handOn(): void;
  /** How many jobs the workers can run at once that told of themselves a moment ago; null: here they cannot tell. */
  jobsAtOnce(): Promise<number | null>;
  push(jobs: readonly StepJob[]): Promise<void>;
  /** Of these, those whose job is not in the queue any more (waiting, delayed or active). */
  findMissing(
    jobs: readonly { stepRunId: string; dispatchNo: number }[],
  ): Promise<{ stepRunId: string; dispatchNo: number }[]>;
  pushCompactions(jobs: readonly CompactionJob[]): Promise<void>;
  /** Of these, those whose job is not in the compaction queue any more. */
  findMissingCompactions(jobs: readonly CompactionJob[]): Promise<CompactionJob[]>;
}

/** Signals between processes that may get lost: each has a poll behind it. */
export interface Wakeups {
  publishCancel(runId: string): Promise<void>;
  onCancel(listener: (runId: string) => void): void;
  /** New events of a run (SSE clients poll at once). */
  publishProgress(runId: string): Promise<void>;
  onProgress(listener: (runId: string) => void): void;
  /** More became runnable than the queue takes: processes that take jobs let the rest follow at once. */
  publishCrowded(): Promise<void>;
  onCrowded(listener: () => void): void;
  /** Token deltas for listeners; never stored. */
  publishDelta(delta: {
    runId: string;
    stepId: string;
    item: number | null;
    callNo: number;
    text: string;
  }): Promise<void>;
  onDelta(
    listener: (delta: { runId: string; stepId: string; item: number | null; callNo: number; text: string }) => void,
  ): void;
  /** Somebody listens to the deltas of a stream's runs. Holds for a minute: repeat it each 15 s. */
  announceListener(projectId: string, streamId: string): Promise<void>;
  /** Whether somebody does, as of at most a second ago; false when it cannot be known. Never throws. */
  hasListener(projectId: string, streamId: string): Promise<boolean>;
}

/** The queue's epoch: a key that disappears when Redis loses its data. */
export interface QueueEpoch {
  /** The stored epoch, or null when it is missing. */
  read(): Promise<string | null>;
  write(epoch: string): Promise<void>;
}
