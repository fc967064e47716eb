export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
  'dead_letter',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const STEP_STATUSES = [
  'pending',
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
  'timed_out',
  'dead_letter',
] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

const ENDED_RUN: ReadonlySet<RunStatus> = new Set(['succeeded', 'failed', 'cancelled', 'timed_out', 'dead_letter']);
const ENDED_STEP: ReadonlySet<StepStatus> = new Set([
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
  'timed_out',
  'dead_letter',
]);

export const isEndedRun = (status: RunStatus): boolean => ENDED_RUN.has(status);
export const isEndedStep = (status: StepStatus): boolean => ENDED_STEP.has(status);
