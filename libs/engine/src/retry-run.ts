import { findDefinedStep, isEndedRun, stepsToRetry, type PipelineDefinition, type RunStatus } from '#libs/domain';
import { afterCommit } from './advance/after-commit.js';
import { advanceRun, type Advanced } from './advance/advance-run.js';
import { RunRecorder } from './advance/run-recorder.js';
import type { EngineDeps } from './engine-deps.js';
import { loadDefinition } from './load-definition.js';
import type { RunRecord, StepRunRecord } from './ports/run-records.port.js';
import type { RunTransaction } from './ports/run-store.port.js';

export type RetryRun = {
  projectId: string;
  runId: string;
  /** pinned: the version the run began with; live: what the alias points to now. */
  version: 'pinned' | 'live';
  /** A step run that must be a dead letter still. */
  deadStepRunId?: string;
};

export type RetryResult =
  | { status: 'retried'; runId: string; version: number; steps: string[] }
  | { status: 'not_found' }
  /** It has not ended, or it succeeded: there is nothing to go on from. */
  | { status: 'not_retryable'; runStatus: RunStatus }
  /** Another run holds the stream now. */
  | { status: 'stream_busy'; streamId: string }
  /** As many runs as may be are under way with its concurrency key. */
  | { status: 'concurrency'; limit: number }
  /** The step was redriven or discarded already. */
  | { status: 'not_dead' }
  /** The live version lacks steps that this run has outputs of, or changed their kind. */
  | { status: 'version_differs'; detail: string };

/**
 * Goes on in place from the steps that did not succeed; outputs of the others are kept. Server settings, agents and
 * policies are resolved anew, so a failure on the hard cap can be cured by another policy. Cutoffs and memory places stay:
 * a fresh step sees exactly what it saw before.
 */
export async function retryRun(deps: EngineDeps, command: RetryRun): Promise<RetryResult> {
  const known = await deps.runs.getRun(command.projectId, command.runId);
  if (known === null) return { status: 'not_found' };
  const target = await targetVersion(deps, known, command.version);
  if (!target.ok) return { status: 'version_differs', detail: target.detail };
  const outcome = await deps.runs
    .transact((tx) => reopen(deps, tx, { known, ...target, deadStepRunId: command.deadStepRunId ?? null }))
    .catch(takenPlace);
  if (outcome.advanced !== null) await afterCommit(deps, outcome.advanced);
  return outcome.result;
}

type Target = { ok: true; version: number; definition: PipelineDefinition } | { ok: false; detail: string };

async function targetVersion(deps: EngineDeps, run: RunRecord, wanted: RetryRun['version']): Promise<Target> {
  const live = wanted === 'live' ? await deps.pipelines.getVersion(run.projectId, run.pipeline, null) : null;
  const version = live?.version ?? run.pipelineVersion;
  const definition = await loadDefinition(deps, run.projectId, run.pipeline, version);
  const steps = await deps.runs.stepRunsOf(run.projectId, run.runId);
  for (const { stepId, kind, status } of steps) {
    const step = findDefinedStep(definition, stepId)?.step;
    if (status !== 'succeeded' || step?.kind === kind) continue;
    const what = step === undefined ? 'has no such step' : `makes it a ${step.kind} step`;
    return {
      ok: false,
      detail: `step ${stepId} succeeded in this run, but version ${version} ${what}; retry with version pinned`,
    };
  }
  return { ok: true, version, definition };
}

type Reopening = { known: RunRecord; version: number; definition: PipelineDefinition; deadStepRunId: string | null };
type Reopened = { result: RetryResult; advanced: Advanced | null };

async function reopen(
  deps: EngineDeps,
  tx: RunTransaction,
  { known, version, definition, deadStepRunId }: Reopening,
): Promise<Reopened> {
  const run = await tx.lockRun(known.projectId, known.runId);
  if (run === null) return { result: { status: 'not_found' }, advanced: null };
  if (!isEndedRun(run.status) || run.status === 'succeeded' || run.statusReason === 'erased') {
    return { result: { status: 'not_retryable', runStatus: run.status }, advanced: null };
  }
  const rows = await tx.stepRuns(run.projectId, run.runId);
  const asked = deadStepRunId === null ? undefined : rows.find(({ stepRunId }) => stepRunId === deadStepRunId);
  if (deadStepRunId !== null && asked?.status !== 'dead_letter')
    return { result: { status: 'not_dead' }, advanced: null };
  await tx.lockStreams(run.projectId, [run.streamId]);
  await tx.updateRun(run.projectId, run.runId, {
    status: 'queued',
    statusReason: null,
    pipelineVersion: version,
    restarted: true,
  });
  if (!(await tx.acquireStream(run))) throw new PlaceTaken({ status: 'stream_busy', streamId: run.streamId });
  if (!(await tx.hasConcurrencySlot(run)))
    throw new PlaceTaken({ status: 'concurrency', limit: run.concurrency?.limit ?? 1 });
  await tx.updateRun(run.projectId, run.runId, { status: 'running', started: true });
  const again: RunRecord = {
    ...run,
    status: 'running',
    statusReason: null,
    pipelineVersion: version,
    generation: run.generation + 1,
    cancelRequestedAt: null,
    cancelReason: null,
    pausedAt: null,
    error: null,
    output: null,
  };
  return goOn(deps, tx, { run: again, definition, rows });
}

/** Undoes the reopening: its stream or its slot belongs to another run now. */
class PlaceTaken extends Error {
  override readonly name = 'PlaceTaken';

  constructor(readonly result: Extract<RetryResult, { status: 'stream_busy' | 'concurrency' }>) {
    super(result.status);
  }
}

function takenPlace(error: unknown): Reopened {
  if (error instanceof PlaceTaken) return { result: error.result, advanced: null };
  throw error;
}

async function goOn(
  deps: EngineDeps,
  tx: RunTransaction,
  { run, definition, rows }: { run: RunRecord; definition: PipelineDefinition; rows: readonly StepRunRecord[] },
): Promise<Reopened> {
  const recorder = new RunRecorder(deps, run);
  const failed = await rowsToRetry(tx, definition, rows);
  const places = failed.map(({ stepId, item, round }) => ({ step_id: stepId, item, round }));
  recorder.ofRun('RunRetried', [run.generation], { steps: places, version: run.pipelineVersion });
  for (const { projectId, stepRunId, attempt } of failed)
    await tx.updateStepRun(projectId, stepRunId, {
      ...{ reopened: true, status: 'pending', reason: null, waitingKey: null, attempt: attempt + 1 },
    });
  const advanced = await advanceRun({ deps, tx, run, definition, recorder }, 'all');
  await recorder.flush(tx);
  const steps = failed.map((row) => row.stepId);
  return {
    result: { status: 'retried', runId: run.runId, version: run.pipelineVersion, steps },
    advanced,
  };
}

async function rowsToRetry(
  tx: RunTransaction,
  definition: PipelineDefinition,
  rows: readonly StepRunRecord[],
): Promise<StepRunRecord[]> {
  const succeeded = new Set<string>();
  for (const loop of rows)
    if (loop.kind === 'for_each' && loop.status !== 'succeeded')
      for (const { item, status } of await tx.items(loop))
        if (status === 'succeeded') succeeded.add(`${loop.stepRunId} ${item}`);
  return stepsToRetry(definition, rows, (loop, item) => succeeded.has(`${loop.stepRunId} ${item}`));
}
