export { decodeCompactionJob, decodeStepJob, type CompactionJobData, type StepJobData } from './jobs.js';
export { createJobIntake, workerOptions, type IntakeSettings, type JobIntake } from './job-intake.js';
export { assertTakesSignal } from './processor-arity.js';
export { createQueueBackend, type QueueBackend, type QueueHealth, type ReportFault, type WorkerCapacity } from './queue-backend.js';
export { QueueModule } from './queue.module.js';
export { COMPACTIONS_QUEUE, STEPS_QUEUE } from './queue-names.js';
export type { PostgresQueueSettings, QueueSettings, RedisQueueSettings } from './queue-settings.js';
