import { findDefinedStep, type PipelineDefinition } from '#libs/domain';
import { mayRunAgain } from '../call-tools/may-run-again.js';
import type { EngineDeps } from '../engine-deps.js';
import { loadDefinition } from '../load-definition.js';
import type { Claimed } from '../ports/run-store.port.js';

/** A shorter time-out is kept by a claim from the first moment on. */
const SHORTEST_TIMEOUT_MS = 1000;

/**
 * A step that may begin before it is claimed (ADR 0037): this process made it runnable, so it knows what a claim would read, and
 * what it does may simply be done again. Null: it is to be claimed.
 */
export async function recallStep(
  deps: EngineDeps,
  job: { stepRunId: string; dispatchNo: number },
): Promise<Claimed | null> {
  const known = await deps.runs.recallStep(job.stepRunId);
  if (known === null || known.step.dispatchNo !== job.dispatchNo || !isPlain(known)) return null;
  const { projectId, pipeline, pipelineVersion } = known.run;
  const definition = await loadDefinition(deps, projectId, pipeline, pipelineVersion);
  return isRepeatable(deps, definition, known) ? known : null;
}

/** Nothing is asked for at its claim, and nothing bounds it more closely than a claim that comes a moment later. */
function isPlain({ run, step }: Claimed): boolean {
  const isAlone = run.ancestors.length === 0 && run.spendLimit === null;
  const isFree = run.pausedAt === null && run.cancelRequestedAt === null;
  return isAlone && isFree && (step.timeoutMs === null || step.timeoutMs >= SHORTEST_TIMEOUT_MS);
}

function isRepeatable({ tools }: EngineDeps, definition: PipelineDefinition, { step: row }: Claimed): boolean {
  const step = findDefinedStep(definition, row.stepId)?.step;
  if (step?.kind === 'transform') return true;
  if (step?.kind !== 'tool') return false;
  const resolved = tools.resolve(step.tool, definition.tools.get(step.tool) ?? null);
  return resolved.ok && mayRunAgain(resolved.tool) && !resolved.tool.requiresApproval;
}
