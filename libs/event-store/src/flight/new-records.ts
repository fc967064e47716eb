import type { NewRun, NewStepRun, RunRecord, StepRunRecord } from '#libs/engine';

/** The row that the insert of a run makes, as it would be read back. */
export function newRunRecord(run: NewRun, now: string): RunRecord {
  const { delayMs: _delayMs, ...given } = run;
  return {
    ...given,
    status: 'queued',
    output: null,
    error: null,
    timeoutAt: run.deadlineAt,
    cancelRequestedAt: null,
    cancelReason: null,
    generation: 0,
    createdAt: now,
    startedAt: null,
    endedAt: null,
    pausedAt: null,
    startAt: null,
    traceparent: run.traceparent ?? null,
  };
}

/** The same of a step. */
export function newStepRecord(projectId: string, step: NewStepRun, now: string): StepRunRecord {
  const isWaiting = step.status === 'waiting';
  const { lease } = step;
  const hasStarted = isWaiting || lease !== undefined;
  const claims = lease === undefined ? 0 : 1;
  return {
    projectId,
    stepRunId: step.stepRunId,
    runId: step.runId,
    stepId: step.stepId,
    item: step.item,
    round: step.round,
    kind: step.kind,
    status: step.status,
    reason: step.reason ?? null,
    priority: step.priority,
    attempt: step.attempt,
    starts: claims,
    dispatchNo: 1,
    dispatchedAt: step.isDispatched === true || lease !== undefined ? now : null,
    fence: claims,
    leaseUntil: later(now, lease?.leaseMs ?? null),
    workerId: lease?.workerId ?? null,
    workerBytes: lease?.workerBytes ?? null,
    ...NOTHING_YET,
    timeoutMs: step.timeoutMs,
    timeoutAt: hasStarted ? later(now, step.timeoutMs) : null,
    usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0, modelCalls: 0, toolCalls: 0 },
    queuedAt: now,
    startedAt: hasStarted ? now : null,
    endedAt: step.status === 'skipped' ? now : null,
    waitingKey: step.waitingKey ?? null,
    waitingSince: isWaiting ? now : null,
  };
}

const NOTHING_YET = {
  ...{ releases: 0, stalls: 0, stallPosition: null, cutoffSeq: null, memorySeq: null, manifest: null },
  ...{ output: null, error: null, dueAt: null },
};

const later = (now: string, ms: number | null): string | null =>
  ms === null ? null : new Date(Date.parse(now) + ms).toISOString();
