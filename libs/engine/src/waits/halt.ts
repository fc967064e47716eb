import type { EngineDeps } from '../engine-deps.js';
import type { RunRecord } from '../ports/run-records.port.js';
import type { RunStandingFacts } from '../ports/wait-store.port.js';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';

/**
 * Asked at each turn boundary: whether the run (or one around it) is paused or has spent what it may. Null: go on.
 * @param unwrittenCalls tool calls that were made and are not counted in the log yet.
 */
export async function haltOf(
  deps: Pick<EngineDeps, 'runs'>,
  run: Pick<RunRecord, 'projectId' | 'runId'>,
  unwrittenCalls = 0,
): Promise<StepOutcome | null> {
  const { isPaused, spending } = await deps.runs.standing(run.projectId, run.runId);
  const counted = spending.map(({ spent, ...limited }) => ({
    ...limited,
    spent: { ...spent, toolCalls: spent.toolCalls + unwrittenCalls },
  }));
  return haltBy({ isPaused, spending: counted });
}

/** The same of a run that was read this moment; most have nothing around them and no limit, and nothing is asked. */
export async function haltAtClaim(deps: Pick<EngineDeps, 'runs'>, run: RunRecord): Promise<StepOutcome | null> {
  const isAlone = run.ancestors.length === 0 && run.spendLimit === null;
  return isAlone ? haltBy({ isPaused: run.pausedAt !== null, spending: [] }) : haltOf(deps, run);
}

/** Pure. A pause comes first: it can be lifted without raising a limit. */
export function haltBy({ isPaused, spending }: RunStandingFacts): StepOutcome | null {
  if (isPaused) return { kind: 'parked', reason: 'paused' };
  for (const one of spending) {
    const { runId, limit } = one;
    const reached = reachedBy(one);
    if (reached === null) continue;
    if (limit.on_exceeded === 'pause') return { kind: 'parked', reason: 'spend_limit' };
    return failedStep('spend_limit', `run ${runId} has spent ${reached}; raise spend_limit and retry`);
  }
  return null;
}

/** What was spent of the first limit that is reached, with the run that has it; null: none is. Pure. */
export function spentOf({ spending }: Pick<RunStandingFacts, 'spending'>): string | null {
  for (const one of spending) {
    const reached = reachedBy(one);
    if (reached !== null) return `run ${one.runId} has spent ${reached}`;
  }
  return null;
}

function reachedBy({ limit, spent }: RunStandingFacts['spending'][number]): string | null {
  return (
    reachedOf('tokens', spent.tokens, limit.tokens) ??
    reachedOf('US dollars', spent.costUsd, limit.cost_usd) ??
    reachedOf('tool calls', spent.toolCalls, limit.tool_calls)
  );
}

/** How far compactions may go over a run's limit: they make its further calls cheaper. */
const COMPACTION_ALLOWANCE = 1.1;

/** Why no summary may be paid for this run any more; null: it may. Pure. Tool calls are none of a compaction's. */
export function whyUnaffordable({ spending }: Pick<RunStandingFacts, 'spending'>): string | null {
  for (const { runId, limit, spent } of spending) {
    const reached =
      reachedOf('tokens', spent.tokens, limit.tokens, COMPACTION_ALLOWANCE) ??
      reachedOf('US dollars', spent.costUsd, limit.cost_usd, COMPACTION_ALLOWANCE);
    if (reached !== null) return `run ${runId} has spent ${reached}; compactions may exceed its spend_limit by 10 %`;
  }
  return null;
}

function reachedOf(what: string, spent: number, limit: number | null, allowance = 1): string | null {
  return limit !== null && spent >= limit * allowance ? `${spent} of ${limit} ${what}` : null;
}
