import { createHash } from 'node:crypto';
import { policyCanonical, readPolicy } from '#libs/context';
import { buildNext, contextHash, type PreviewedStream, type Review } from '#libs/engine';
import { messagesOf, withoutBase } from '../steps/call-context.js';
import type { StepPlace } from '../conversations/step-place.js';
import type { CallReview, ContextPreview } from './stream-calls.schema.js';

export function previewOf(place: StepPlace, { calls, total, end }: PreviewedStream): ContextPreview {
  return { context: end === null ? null : contextOf(place, end), calls, total };
}

function contextOf({ stepId, item }: StepPlace, end: NonNullable<PreviewedStream['end']>): ContextPreview['context'] {
  const build = buildNext(end);
  const ready = build.kind === 'ready' ? build : null;
  return {
    run_id: end.runId,
    step_id: stepId,
    item,
    model: end.manifest.model.id,
    api_format: end.manifest.model.apiFormat,
    outcome: build.kind,
    policy_hash: sha256(policyCanonical(readPolicy(end.manifest.policy))),
    context_hash: ready === null ? null : contextHash(ready),
    upto_seq: end.stream.version,
    messages: ready === null ? [] : messagesOf(ready),
    omitted: (ready?.omitted ?? []).map(({ entries, state, chars }) => ({ entries: [...entries], state, chars })),
    report: withoutBase(build.report),
  };
}

export function reviewOf({ stepId, item }: StepPlace, { calls, total }: Review): CallReview {
  const lines = calls.flatMap(
    ({ line, contextHash, runId, callNo, try: tryNo, attempt, buildMs, verdict }): CallReview['calls'] =>
      line === null
        ? []
        : [
            {
              ...line,
              context_hash: contextHash,
              run_id: runId,
              step_id: stepId,
              item,
              run_call: callNo === 0 ? null : callNo,
              try: tryNo,
              attempt,
              build_ms: buildMs,
              rebuilt: verdict,
            },
          ],
  );
  return { calls: lines, total };
}

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
