import type { CallPosition } from '../ports/model.port.js';
import type { AgentContext } from './agent-context.js';

/** Where a model call of this step stands. */
export function positionOf({ execution }: AgentContext, call: { callNo: number; try: number }): CallPosition {
  const { run, row } = execution;
  return {
    projectId: run.projectId,
    streamId: run.streamId,
    runId: run.runId,
    stepId: row.stepId,
    item: row.item,
    callNo: call.callNo,
    try: call.try,
  };
}
