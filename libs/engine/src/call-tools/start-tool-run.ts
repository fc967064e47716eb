import type { JsonObject, ToolDefinition } from '#libs/domain';
import { afterCommit } from '../advance/after-commit.js';
import type { Advanced } from '../advance/advance-run.js';
import type { AgentContext } from '../agent/agent-context.js';
import type { ToolOutcome } from '../ports/tool.port.js';
import { prepareChildRun } from '../start-run/child-run.js';
import { storeChild } from '../start-run/start-child.js';
import { toolRunId } from './tool-run-id.js';

type PipelineTool = Extract<ToolDefinition, { kind: 'pipeline' }>;
type Call = { callNo: number; ordinal: number; args: JsonObject };

/** Starts the run of a tool of kind `pipeline`. The call's result comes when it ends, so the step can give its slot back. */
export async function startToolRun(
  { execution }: AgentContext,
  definition: PipelineTool,
  { callNo, ordinal, args }: Call,
): Promise<ToolOutcome> {
  const { deps, run, row, held } = execution;
  const { pipeline, version, timeoutMs } = definition;
  const runId = toolRunId(row.stepRunId, callNo, ordinal);
  const deadlineAt = timeoutMs === null ? null : new Date((await deps.runs.now()) + timeoutMs).toISOString();
  const prepared = await prepareChildRun(execution, {
    runId,
    pipeline,
    version,
    inputs: args,
    streamId: null,
    deadlineAt,
  });
  if (!prepared.ok) return { status: 'error', content: `${definition.name}: ${prepared.detail}.`, retryable: false };
  const advanced = await deps.runs.transact(async (tx): Promise<Advanced | null> => {
    const locked = await tx.lockRun(run.projectId, run.runId);
    const step = await tx.lockStepRun(run.projectId, row.stepRunId);
    if (locked === null || step?.fence !== held.fence || step.status !== 'running') return null;
    if ((await tx.lockRun(run.projectId, runId)) !== null) return null;
    return storeChild({ deps, tx }, row, prepared.child);
  });
  if (advanced !== null) await afterCommit(deps, advanced);
  return { status: 'pending', content: `Run ${runId} of ${pipeline} was started; its output is the result.` };
}
