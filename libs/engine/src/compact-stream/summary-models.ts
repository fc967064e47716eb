import { mayAskModels } from '#libs/context';
import type { EngineDeps } from '../engine-deps.js';
import { EXTRACTIVE_MODEL } from './complete-summary.js';
import type { CompactionSource } from './read-source.js';

/** Requests of people and of steps that cannot go on are not held back by what failed before. */
const ASKED_BY_PEOPLE: ReadonlySet<string> = new Set(['requested', 'retry']);

/**
 * Models to ask, in order: the policy's own (budget.summary_model, else compaction.model), then the agent's. Behind them
 * all stands the extractive summariser; a policy that names it asks no model at all. Recordings cannot summarise.
 */
export function summaryModels(deps: Pick<EngineDeps, 'models'>, { policy, manifest }: CompactionSource): string[] {
  const own = policy.budget?.summary_model ?? policy.compaction.model;
  if (own === EXTRACTIVE_MODEL) return [];
  const wanted = [own, manifest.model.id].filter((name) => name !== null);
  return [...new Set(wanted)].filter((name) => !isExtractive(name) && deps.models.facts(name).ok);
}

const isExtractive = (name: string): boolean => name === EXTRACTIVE_MODEL || name.startsWith('replay:');

/** False: the breaker holds paid calls back for now. */
export function isAskingDue(reason: string, { modelFailures, entries }: CompactionSource): boolean {
  const { lastTo } = modelFailures;
  if (ASKED_BY_PEOPLE.has(reason) || lastTo === null) return true;
  const turns = entries.filter((entry) => entry.kind === 'assistant');
  const before = turns.filter((turn) => turn.seq <= lastTo).length;
  return mayAskModels(modelFailures, { before, now: turns.length });
}
