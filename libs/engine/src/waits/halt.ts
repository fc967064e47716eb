import type { EngineDeps } from '../engine-deps.js';
import type { RunRecord } from '../ports/run-records.port.js';
import type { RunStandingFacts } from '../ports/wait-store.port.js';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';

/** Asked at each turn boundary: whether the run (or one around it) is paused or has spent what it may. Null: go on. */
export async function haltOf(
  deps: Pick<EngineDeps, 'runs'>,
  run: Pick<RunRecord, 'projectId' | 'runId'>,
): Promise<StepOutcome | null> {
  return haltBy(await deps.runs.standing(run.projectId, run.runId));
}

/** Pure. A pause comes first: it can be lifted without raising a limit. */
export function haltBy({ isPaused, spending }: RunStandingFacts): StepOutcome | null {
  if (isPaused) return { kind: 'parked', reason: 'paused' };
  for (const { runId, limit, spent } of spending) {
    const reached =
      reachedOf('tokens', spent.tokens, limit.tokens) ??
      reachedOf('US dollars', spent.costUsd, limit.cost_usd) ??
      reachedOf('tool calls', spent.toolCalls, limit.tool_calls);
    if (reached === null) continue;
    if (limit.on_exceeded === 'pause') return { kind: 'parked', reason: 'spend_limit' };
    return failedStep('spend_limit', `run ${runId} has spent ${reached}; raise spend_limit and retry`);
  }
  return null;
}

function reachedOf(what: string, spent: number, limit: number | null): string | null {
  return limit !== null && spent >= limit ? `${spent} of ${limit} ${what}` : null;
}
