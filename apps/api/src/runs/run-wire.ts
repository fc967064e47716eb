import {
  standingOf,
  type RunDescription,
  type RunRecord,
  type RunStanding,
  type StepRunRecord,
  type StepUsage,
} from '#libs/engine';
import { noUsage } from '#libs/event-store';
import type { Run, RunSummary } from './run.schema.js';

export type SummaryParts = RunStanding & { run: RunRecord; usage: StepUsage };

/** A run shows its first steps; the rest are at `…/steps`, page by page. */
const SHOWN_STEPS = 1000;

export function toRunSummary(described: SummaryParts, showsContent: boolean): RunSummary {
  const { run } = described;
  return {
    id: run.runId,
    pipeline: { name: run.pipeline, version: run.pipelineVersion },
    stream_id: run.streamId,
    status: run.status,
    status_reason: described.statusReason,
    status_detail: described.statusDetail,
    blocked_on: described.blockedOn,
    error: run.error,
    tags: run.tags,
    metadata: showsContent ? run.metadata : null,
    priority: run.priority,
    usage: toUsage(described.usage),
    allowed_actions: described.allowedActions,
    created_at: run.createdAt,
    started_at: run.startedAt,
    ended_at: run.endedAt,
  };
}

export function toRun(described: RunDescription, showsContent: boolean): Run {
  const { run, steps } = described;
  return {
    ...toRunSummary(described, showsContent),
    inputs: showsContent ? run.inputs : null,
    output: showsContent ? run.output : null,
    steps: steps.slice(0, SHOWN_STEPS).map(toRunStep),
  };
}

/** The answer to a start: the run as it was accepted, so that equal requests get equal answers whatever happened since. */
export function toAcceptedRun(run: RunRecord, showsContent: boolean): Run {
  const accepted: RunRecord = {
    ...run,
    status: 'queued',
    statusReason: null,
    output: null,
    error: null,
    startedAt: null,
    endedAt: null,
  };
  const standing = standingOf(accepted, [], []);
  const described = {
    run: accepted,
    steps: [],
    usage: noUsage,
    ...standing,
    statusReason: null,
    statusDetail: 'Accepted.',
  };
  return toRun(described, showsContent);
}

export function toRunStep(step: StepRunRecord): Run['steps'][number] {
  return {
    id: step.stepId,
    item: step.item,
    round: step.round,
    kind: step.kind,
    status: step.status,
    reason: step.reason,
    attempt: step.attempt,
    starts: step.starts,
    started_at: step.startedAt,
    ended_at: step.endedAt,
  };
}

export function toUsage(usage: StepUsage): RunSummary['usage'] {
  return {
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd,
    model_calls: usage.modelCalls,
    tool_calls: usage.toolCalls,
  };
}
