import { validateInputs, type JsonObject, type PipelineDefinition } from '#libs/domain';
import { loadDefinition } from '../load-definition.js';
import type { NewRun } from '../ports/run-records.port.js';
import { redactedObject } from '../redacted-object.js';
import type { StepExecution } from '../run-step/step-execution.js';
import type { ChildRun } from '../run-step/step-outcome.js';
import { storedSpendLimit } from './start-run.js';

/** Runs around a run, itself included. */
const MAX_DEPTH = 8;

export type WantedChild = {
  runId: string;
  pipeline: string;
  /** Null: what `live` points to. */
  version: number | null;
  inputs: JsonObject;
  /** Null: its own. */
  streamId: string | null;
  /** Of its own, beside the parent's time; null: none. */
  deadlineAt: string | null;
};

type Around = Pick<StepExecution, 'deps' | 'run' | 'row'>;

/** A run that a step starts, checked and not yet stored. `detail` says what is wrong with it. */
export async function prepareChildRun(
  around: Around,
  wanted: WantedChild,
): Promise<{ ok: true; child: ChildRun } | { ok: false; detail: string }> {
  const { deps, run } = around;
  const { pipeline } = wanted;
  if (run.ancestors.length + 1 >= MAX_DEPTH)
    return {
      ok: false,
      detail: `pipelines call each other ${MAX_DEPTH} deep; the innermost may not call another`,
    };
  const version = await deps.pipelines.getVersion(run.projectId, pipeline, wanted.version);
  if (version === null)
    return { ok: false, detail: `pipeline ${pipeline} (${wanted.version ?? 'live'}) does not exist` };
  const definition = await loadDefinition(deps, run.projectId, pipeline, version.version);
  const checked = validateInputs(definition, wanted.inputs);
  if (!checked.ok) {
    const faults = checked.errors.map(({ path, detail }) => `${path}: ${detail}`).join('; ');
    return { ok: false, detail: `inputs of ${pipeline}: ${faults}` };
  }
  const inputs = checked.inputs;
  return { ok: true, child: { run: newChild(around, definition, version.version, { ...wanted, inputs }), definition } };
}

function newChild(
  { deps, run, row }: Around,
  definition: PipelineDefinition,
  version: number,
  { runId, pipeline, inputs, streamId, deadlineAt }: WantedChild,
): NewRun {
  return {
    projectId: run.projectId,
    runId,
    pipeline,
    pipelineVersion: version,
    streamId: streamId ?? runId,
    inputs: redactedObject(deps, inputs),
    tags: definition.tags.slice(),
    metadata: run.metadata,
    priority: run.priority,
    onBusy: definition.onBusy,
    exclusive: definition.onBusy !== 'parallel',
    // The parent's time is the child's.
    deadlineAt: earlier(deadlineAt, earlier(run.timeoutAt, row.timeoutAt)),
    timeoutMs: definition.timeoutMs,
    statusReason: null,
    ancestors: [...run.ancestors, run.runId],
    parentStepRunId: row.stepRunId,
    spendLimit: storedSpendLimit(definition.spendLimit),
    concurrency: null,
    delayMs: null,
    traceparent: run.traceparent,
  };
}

const earlier = (a: string | null, b: string | null): string | null =>
  a === null ? b : b === null ? a : Date.parse(a) < Date.parse(b) ? a : b;
