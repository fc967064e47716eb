import type { EngineDeps, RetryResult, RetryRun } from '#libs/engine';
import { ProblemError } from '../http/problem-error.js';
import { loadRun, runNotFound } from './load-run.js';

/** Why a run cannot go on, as the answer to whoever asked for it. */
export async function refusedRetry(
  engine: Pick<EngineDeps, 'runs'>,
  { projectId, runId, deadStepRunId }: RetryRun,
  refused: Exclude<RetryResult, { status: 'retried' }>,
): Promise<ProblemError> {
  switch (refused.status) {
    case 'not_found':
      return runNotFound(runId);
    case 'not_retryable': {
      const { run, allowedActions } = await loadRun(engine, projectId, runId);
      if (run.statusReason === 'erased') return new ProblemError('wrong_state', `Run ${runId} was erased.`);
      const detail = `Run ${runId} is ${refused.runStatus}: only a run that ended without success can be retried.`;
      return new ProblemError('wrong_state', detail, { allowedActions });
    }
    case 'stream_busy':
      return new ProblemError('stream_busy', `Another run holds the stream ${refused.streamId} now.`);
    case 'concurrency': {
      const detail = `${refused.limit} runs with its concurrency key are under way, as many as may be; retry it when one has ended.`;
      return new ProblemError('wrong_state', detail, { allowedActions: ['retry'] });
    }
    case 'not_dead':
      return notDead(deadStepRunId ?? runId);
    case 'version_differs':
      return new ProblemError('wrong_state', refused.detail, { allowedActions: ['retry'] });
  }
}

export const notDead = (id: string): ProblemError =>
  new ProblemError('wrong_state', `Step run ${id} is no dead letter; it was redriven or discarded already.`);
