import type { RequestStreamCompactionResult, RetryCompactionResult, RollBackResult } from '#libs/engine';
import { notFound, ProblemError } from '../http/problem-error.js';

type Refused<T extends { status: string }, Done extends string> = Exclude<T, { status: Done }>;

const wrongState = (detail: string): ProblemError => new ProblemError('wrong_state', detail, { allowedActions: [] });
const unknown = (compactionId: string): ProblemError => notFound('compaction_not_found', `Compaction ${compactionId}`);
const isOpen = (compactionId: string): ProblemError =>
  wrongState(`Compaction ${compactionId} of the same view is under way; there is one at a time.`);

export function requestRefused(
  result: Refused<RequestStreamCompactionResult, 'requested'>,
  streamId: string,
): ProblemError {
  switch (result.status) {
    case 'step_not_started':
      return wrongState(`No agent step of stream ${streamId} with this step, item and run has started yet.`);
    case 'manifest_missing':
      return wrongState(
        `What the step's last contexts in ${streamId} depended on (policy, prompt, tools) is not stored any more; run the step again (a new run, or a retry with the live version), then ask again.`,
      );
    case 'already_open':
      return isOpen(result.compactionId);
    case 'nothing_to_compact':
      return wrongState(`Nothing to compact in ${streamId}: ${result.detail}.`);
  }
}

export function retryRefused(result: Refused<RetryCompactionResult, 'requested'>, compactionId: string): ProblemError {
  switch (result.status) {
    case 'not_found':
      return unknown(compactionId);
    case 'not_retryable':
      return wrongState(
        `Compaction ${compactionId} is ${result.compactionStatus}: only one that failed, was skipped or discarded can be retried.`,
      );
    case 'already_open':
      return isOpen(result.compactionId);
    case 'range_refused':
      return wrongState(`The range of compaction ${compactionId} does not fit any more: ${result.detail}.`);
  }
}

export function rollBackRefused(result: Refused<RollBackResult, 'rolled_back'>, compactionId: string): ProblemError {
  switch (result.status) {
    case 'not_found':
      return unknown(compactionId);
    case 'not_applied':
      return wrongState(`Compaction ${compactionId} is ${result.compactionStatus}: no context shows its summary.`);
    case 'not_live':
      return wrongState(
        `Compaction ${compactionId} was superseded${result.live === null ? '' : `; roll back ${result.live} first`}.`,
      );
  }
}
