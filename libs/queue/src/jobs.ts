import { z } from 'zod';
import { AppError, jobId } from '#libs/domain';
import type { CompactionJob, StepJob } from '#libs/engine';

const id = z.string().min(1).max(200);
const dispatchNo = z.int().positive();

/** What stands in the queue: ids only. Whatever else a worker needs it reads from Postgres under its claim. */
export const stepJobSchema = z.strictObject({ step_run_id: id, dispatch_no: dispatchNo });
export const compactionJobSchema = z.strictObject({ compaction_id: id, dispatch_no: dispatchNo });

export type StepJobData = z.infer<typeof stepJobSchema>;
export type CompactionJobData = z.infer<typeof compactionJobSchema>;
export type JobData = StepJobData | CompactionJobData;

export type EncodedJob = {
  name: string;
  data: JobData;
  opts: { jobId: string; attempts: 1; priority: number; removeOnComplete: true; removeOnFail: true };
};

/** BullMQ serves 1 first and 2,097,152 last; ours serves the larger number first, 0 by default. */
const MIDDLE_PRIORITY = 1_000_000;

export function bullPriority(priority: number): number {
  return Math.min(Math.max(MIDDLE_PRIORITY - priority, 1), 2 * MIDDLE_PRIORITY);
}

export function encodeStepJob(job: StepJob): EncodedJob {
  return encode(
    'step',
    jobId(job.stepRunId, job.dispatchNo),
    { step_run_id: job.stepRunId, dispatch_no: job.dispatchNo },
    job.priority,
  );
}

export function encodeCompactionJob(job: CompactionJob): EncodedJob {
  return encode(
    'compaction',
    jobId(job.compactionId, job.dispatchNo),
    { compaction_id: job.compactionId, dispatch_no: job.dispatchNo },
    0,
  );
}

/** @throws ZodError on anything that Weir did not push. */
export function decodeStepJob(data: unknown): { stepRunId: string; dispatchNo: number } {
  const job = stepJobSchema.parse(data);
  return { stepRunId: job.step_run_id, dispatchNo: job.dispatch_no };
}

/** @throws ZodError on anything that Weir did not push. */
export function decodeCompactionJob(data: unknown): CompactionJob {
  const job = compactionJobSchema.parse(data);
  return { compactionId: job.compaction_id, dispatchNo: job.dispatch_no };
}

const MAX_JOB_BYTES = 2048;

function encode(name: string, id: string, data: JobData, priority: number): EncodedJob {
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes >= MAX_JOB_BYTES || !/^[A-Za-z0-9_-]{1,250}$/.test(id)) {
    throw new AppError(
      'invalid_job',
      `The job ${id.slice(0, 80)} cannot be queued: expected an id of letters, digits, _ and -, and less than ${MAX_JOB_BYTES} bytes of ids.`,
      { bytes },
    );
  }
  // Ended jobs leave nothing behind: a kept one would swallow a later job of the same id without a word.
  return {
    name,
    data,
    opts: { jobId: id, attempts: 1, priority: bullPriority(priority), removeOnComplete: true, removeOnFail: true },
  };
}
