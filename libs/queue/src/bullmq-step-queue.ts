import type { CompactionJob, StepJob, StepQueue } from '#libs/engine';
import { jobId } from '#libs/domain';
import { QueueRoom } from './queue-room.js';
import type { Answers } from './answers.js';
import { GatheredPushes } from './gathered-pushes.js';
import { encodeCompactionJob, encodeStepJob, type EncodedJob } from './jobs.js';

/** What is used of a BullMQ queue: neither QueueEvents nor waitUntilFinished, which lose events on Postgres. */
export type JobQueue = {
  add(name: string, data: EncodedJob['data'], opts: EncodedJob['opts']): Promise<unknown>;
  addBulk(jobs: EncodedJob[]): Promise<unknown>;
  getJobState(id: string): Promise<string>;
};

/** How many jobs the workers can run at once (null: they cannot tell), and how many wait for them. */
export type QueueLoad = { capacity: number | null; waiting: number };

const PRESENT: ReadonlySet<string> = new Set(['waiting', 'prioritized', 'delayed', 'active', 'waiting-children']);

/** The port over BullMQ, whichever server is behind it. Every call ends in time, else `queue_unavailable`. */
export class BullmqStepQueue implements StepQueue {
  private readonly queueRoom: QueueRoom;
  private readonly pushing: GatheredPushes;

  constructor(
    private readonly steps: JobQueue,
    private readonly compactions: JobQueue,
    private readonly load: () => Promise<QueueLoad>,
    private readonly admissionFloor: number,
    private readonly answers: Answers,
  ) {
    this.queueRoom = new QueueRoom(() => this.askRoom());
    this.pushing = new GatheredPushes((jobs) =>
      this.answers.within(`take ${jobs.length} steps`, () => addAll(this.steps, jobs)),
    );
  }

  room(): Promise<number> {
    return this.queueRoom.room();
  }

  reserve(count: number): number {
    return this.queueRoom.reserve(count);
  }

  jobTaken(): void {
    this.queueRoom.jobTaken();
  }

  handOn(): void {
    this.queueRoom.handOn();
  }

  async jobsAtOnce(): Promise<number | null> {
    return (await this.answers.within('count the workers', () => this.load())).capacity;
  }

  private async askRoom(): Promise<number> {
    const { capacity, waiting } = await this.answers.within('count what waits', () => this.load());
    return Math.max(Math.max(2 * (capacity ?? 0), this.admissionFloor) - waiting, 0);
  }

  async push(jobs: readonly StepJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.pushing.push(jobs.map(encodeStepJob));
  }

  async pushCompactions(jobs: readonly CompactionJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.answers.within(`take ${jobs.length} compactions`, () =>
      this.compactions.addBulk(jobs.map(encodeCompactionJob)),
    );
  }

  findMissing(
    jobs: readonly { stepRunId: string; dispatchNo: number }[],
  ): Promise<{ stepRunId: string; dispatchNo: number }[]> {
    return this.missing(this.steps, jobs, ({ stepRunId, dispatchNo }) => jobId(stepRunId, dispatchNo));
  }

  findMissingCompactions(jobs: readonly CompactionJob[]): Promise<CompactionJob[]> {
    return this.missing(this.compactions, jobs, ({ compactionId, dispatchNo }) => jobId(compactionId, dispatchNo));
  }

  private async missing<Job>(queue: JobQueue, jobs: readonly Job[], idOf: (job: Job) => string): Promise<Job[]> {
    const states = await this.answers.within(`look for ${jobs.length} jobs`, () =>
      Promise.all(jobs.map((job) => queue.getJobState(idOf(job)))),
    );
    // `unknown` too when the job's hash is there but no list holds it: such a job never runs.
    return jobs.filter((_, index) => !PRESENT.has(states[index] ?? 'unknown'));
  }
}

/** Of one alone BullMQ makes no pipeline, which is dearer than the command in it: ioredis gives it a method for each of its scripts. */
function addAll(queue: JobQueue, jobs: EncodedJob[]): Promise<unknown> {
  const [first, ...others] = jobs;
  if (first === undefined || others.length > 0) return queue.addBulk(jobs);
  return queue.add(first.name, first.data, first.opts);
}
