import {
  canonicalJson,
  isJsonObject,
  renderTemplate,
  STREAM_ID_PATTERN,
  type ChildPipelineStepWork,
  type JsonObject,
  type PipelineStep,
} from '#libs/domain';
import type { StepExecution } from '../run-step/step-execution.js';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';
import { prepareChildRun } from './child-run.js';

type PipelineStepExecution = Omit<StepExecution, 'step'> & { step: PipelineStep & ChildPipelineStepWork };

/** Prepares the child run of a `pipeline` step; it is stored by the transaction that makes the step wait for it. */
export async function runPipelineStep(execution: PipelineStepExecution): Promise<StepOutcome> {
  const { deps, step } = execution;
  const inputs = childInputs(execution);
  if (!inputs.ok) return inputs.outcome;
  const stream = await childStream(execution);
  if (!stream.ok) return stream.outcome;
  const prepared = await prepareChildRun(execution, {
    runId: deps.newId('run'),
    pipeline: step.pipeline,
    version: step.version,
    inputs: inputs.inputs,
    streamId: stream.streamId,
    deadlineAt: null,
  });
  return prepared.ok ? { kind: 'start_child', child: prepared.child } : failedStep('step_invalid', prepared.detail);
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
