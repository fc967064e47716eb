import {
  canonicalJson,
  isJsonObject,
  renderTemplate,
  STREAM_ID_PATTERN,
  validateInputs,
  type ChildPipelineStepWork,
  type JsonObject,
  type PipelineDefinition,
  type PipelineStep,
} from '#libs/domain';
import { loadDefinition } from '../load-definition.js';
import type { NewRun } from '../ports/run-records.port.js';
import type { StepExecution } from '../run-step/step-execution.js';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';
import { redactedObject } from '../redacted-object.js';
import { storedSpendLimit } from './start-run.js';

type PipelineStepExecution = Omit<StepExecution, 'step'> & { step: PipelineStep & ChildPipelineStepWork };

/** Runs around a run, itself included. */
const MAX_DEPTH = 8;

/** Prepares the child run of a `pipeline` step; it is stored by the transaction that makes the step wait for it. */
export async function runPipelineStep(execution: PipelineStepExecution): Promise<StepOutcome> {
  const { deps, run, step } = execution;
  if (run.ancestors.length + 1 >= MAX_DEPTH)
    return failedStep(
      'step_invalid',
      `pipelines call each other ${MAX_DEPTH} deep; the innermost may not call another`,
    );
  const version = await deps.pipelines.getVersion(run.projectId, step.pipeline, step.version);
  if (version === null)
    return failedStep('step_invalid', `pipeline ${step.pipeline} (${step.version ?? 'live'}) does not exist`);
  const definition = await loadDefinition(deps, run.projectId, step.pipeline, version.version);
  const inputs = childInputs(execution);
  if (!inputs.ok) return inputs.outcome;
  const checked = validateInputs(definition, inputs.inputs);
  if (!checked.ok)
    return failedStep(
      'step_invalid',
      `inputs of ${step.pipeline}: ${checked.errors.map(({ path, detail }) => `${path}: ${detail}`).join('; ')}`,
    );
  const stream = await childStream(execution);
  if (!stream.ok) return stream.outcome;
  const child = { version: version.version, inputs: checked.inputs, streamId: stream.streamId };
  return { kind: 'start_child', child: { run: childRun(execution, definition, child), definition } };
}

function childRun(
  { deps, run, row, step }: PipelineStepExecution,
  definition: PipelineDefinition,
  { version, inputs, streamId }: { version: number; inputs: JsonObject; streamId: string | null },
): NewRun {
  const runId = deps.newId('run');
  return {
    projectId: run.projectId,
    runId,
    pipeline: step.pipeline,
    pipelineVersion: version,
    streamId: streamId ?? runId,
    inputs: redactedObject(deps, inputs),
    tags: definition.tags.slice(),
    metadata: run.metadata,
    priority: run.priority,
    onBusy: definition.onBusy,
    exclusive: definition.onBusy !== 'parallel',
    // The parent's time is the child's.
    deadlineAt: earlier(run.timeoutAt, row.timeoutAt),
    timeoutMs: definition.timeoutMs,
    statusReason: null,
    ancestors: [...run.ancestors, run.runId],
    parentStepRunId: row.stepRunId,
    spendLimit: storedSpendLimit(definition.spendLimit),
    concurrency: null,
    delayMs: null,
  };
}

function childInputs({
  step,
  variables,
  deps,
}: PipelineStepExecution): { ok: true; inputs: JsonObject } | { ok: false; outcome: StepOutcome } {
  const rendered = renderTemplate(step.inputs, variables, deps.expressions);
  if (!rendered.ok) return { ok: false, outcome: failedStep('expression_failed', `inputs: ${rendered.detail}`) };
  if (isJsonObject(rendered.value)) return { ok: true, inputs: rendered.value };
  return { ok: false, outcome: failedStep('step_invalid', `inputs of step ${step.id} are not an object`) };
}

type ChildStream = { ok: true; streamId: string | null } | { ok: false; outcome: StepOutcome };

/** Its own unless the step names one; those of the runs around it would wait for each other. */
async function childStream({ step, variables, deps, run }: PipelineStepExecution): Promise<ChildStream> {
  if (step.streamId === null) return { ok: true, streamId: null };
  const rendered = renderTemplate(step.streamId, variables, deps.expressions);
  if (!rendered.ok) return { ok: false, outcome: failedStep('expression_failed', `stream_id: ${rendered.detail}`) };
  const streamId = typeof rendered.value === 'string' ? rendered.value : canonicalJson(rendered.value);
  if (!STREAM_ID_PATTERN.test(streamId))
    return {
      ok: false,
      outcome: failedStep('step_invalid', `stream_id of step ${step.id} is no stream id: ${streamId.slice(0, 80)}`),
    };
  const around = await Promise.all(run.ancestors.map((runId) => deps.runs.getRun(run.projectId, runId)));
  if (![run, ...around].some((one) => one?.streamId === streamId)) return { ok: true, streamId };
  const detail = `step ${step.id} would start its run on stream ${streamId}, which a run around it holds: both would wait for ever; leave stream_id out or name another`;
  return { ok: false, outcome: failedStep('step_invalid', detail) };
}

const earlier = (a: string | null, b: string | null): string | null =>
  a === null ? b : b === null ? a : Date.parse(a) < Date.parse(b) ? a : b;
