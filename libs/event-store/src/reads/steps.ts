import { sql } from 'kysely';
import type { Json, StepStatus } from '#libs/domain';
import type { PageRequest, ReadDatabase } from './read-database.js';

export type StepRow = {
  stepRunId: string;
  runId: string;
  stepId: string;
  item: number | null;
  round: number;
  kind: string;
  status: StepStatus;
  reason: string | null;
  attempt: number;
  starts: number;
  releases: number;
  workerId: string | null;
  leaseUntil: string | null;
  dueAt: string | null;
  timeoutAt: string | null;
  queuedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  cutoffSeq: number | null;
  manifest: string | null;
  output: Json;
  error: Json;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  costUsd: number;
  modelCalls: number;
  toolCalls: number;
};

const columns = [
  'step_run_id as stepRunId',
  'run_id as runId',
  'step_id as stepId',
  'item',
  'round',
  'kind',
  'status',
  'reason',
  'attempt',
  'starts',
  'releases',
  'worker_id as workerId',
  'lease_until as leaseUntil',
  'due_at as dueAt',
  'timeout_at as timeoutAt',
  'queued_at as queuedAt',
  'started_at as startedAt',
  'ended_at as endedAt',
  'cutoff_seq as cutoffSeq',
  'manifest',
  'output',
  'error',
  'input_tokens as inputTokens',
  'cached_tokens as cachedTokens',
  'output_tokens as outputTokens',
  'cost_usd as costUsd',
  'model_calls as modelCalls',
  'tool_calls as toolCalls',
] as const;

export type StepKey = { stepId: string; item: number; round: number };
/** The order of lists: rows without an item stand before items. */
export const stepKeyOf = (step: Pick<StepRow, 'stepId' | 'item' | 'round'>): StepKey => ({ stepId: step.stepId, item: step.item ?? -1, round: step.round });

type StepFilters = { projectId: string; runId: string; stepId?: string; onlyItems?: boolean };

/** By step id, item, round. */
export async function listSteps(db: ReadDatabase, filters: StepFilters, page: PageRequest<StepKey>): Promise<StepRow[]> {
  let query = db
    .selectFrom('step_run')
    .select(columns)
    .where('project_id', '=', filters.projectId)
    .where('run_id', '=', filters.runId)
    .orderBy('step_id')
    .orderBy(sql`coalesce(item, -1)`)
    .orderBy('round');
  if (filters.stepId !== undefined) query = query.where('step_id', '=', filters.stepId);
  if (filters.onlyItems === true) query = query.where('item', 'is not', null);
  const { after } = page;
  if (after !== null) query = query.where(sql<boolean>`(step_id, coalesce(item, -1), round) > (${after.stepId}, ${after.item}::integer, ${after.round}::integer)`);
  return query.limit(page.limit + 1).execute();
}

type StepPlace = { projectId: string; runId: string; stepId: string; item: number | null; round: number | null };

/** `round` null: the latest. */
export async function findStep(db: ReadDatabase, place: StepPlace): Promise<StepRow | null> {
  let query = db
    .selectFrom('step_run')
    .select(columns)
    .where('project_id', '=', place.projectId)
    .where('run_id', '=', place.runId)
    .where('step_id', '=', place.stepId)
    .where('item', place.item === null ? 'is' : '=', place.item)
    .orderBy('round', 'desc');
  if (place.round !== null) query = query.where('round', '=', place.round);
  return (await query.limit(1).executeTakeFirst()) ?? null;
}
