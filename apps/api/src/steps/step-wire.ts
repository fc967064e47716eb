import { subStreamId } from '#libs/domain';
import type { RunRecord, StepRunRecord } from '#libs/engine';
import { toRunStep, toUsage } from '../runs/run-wire.js';
import type { Step } from './step.schema.js';

export function toStep(run: Pick<RunRecord, 'streamId'>, step: StepRunRecord, showsContent: boolean): Step {
  return {
    ...toRunStep(step),
    run_id: step.runId,
    sub_stream_id: subStreamId(run.streamId, step.stepId, step.item),
    releases: step.releases,
    worker_id: step.workerId,
    due_at: step.dueAt,
    timeout_at: step.timeoutAt,
    queued_at: step.queuedAt,
    cutoff_seq: step.cutoffSeq,
    manifest: step.manifest,
    output: showsContent ? step.output : null,
    error: step.error,
    usage: toUsage(step.usage),
  };
}
