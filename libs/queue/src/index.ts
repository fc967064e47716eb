export { decodeCompactionJob, decodeStepJob, type CompactionJobData, type StepJobData } from './jobs.js';
export { workerOptions, type IntakeSettings, type JobIntake } from './job-intake.js';
export { createQueueBackend } from './create-queue-backend.js';
export type { QueueBackend, ReportFault, WorkerCapacity } from './queue-backend.js';
export { inspectQueue } from './inspect-queue.js';
export type { QueueHealth } from './queue-health.js';
export { QueueModule, type QueueProcessor } from './queue.module.js';
export { COMPACTIONS_QUEUE, STEPS_QUEUE } from './queue-names.js';
export {
  connectionsOfQueue,
  type PostgresQueueSettings,
  type QueueSettings,
  type RedisQueueSettings,
} from './queue-settings.js';
