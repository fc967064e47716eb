import type { Api } from '#libs/client';
import { elapsed, dollars, moment, whole } from '../terminal/numbers.js';
import { readable } from '../terminal/excerpt.js';
import { statusText, type Style } from '../terminal/style.js';
import { facts, table } from '../terminal/table.js';
import { policyText, type RunContext } from './policy-text.js';

/** What other answers of the server say of a run. */
export type RunBeside = {
  readonly contexts: readonly RunContext[];
  /** Null: it has ended, or nobody asked. */
  readonly explained: Api['RunExplanation'] | null;
};

/** A run for people: its standing in the first line, then facts, steps and output. */
export function runText(
  run: Api['Run'],
  style: Style,
  beside: RunBeside = { contexts: [], explained: null },
): string[] {
  const first = `${style('bold', run.id)}  ${run.pipeline.name}@${run.pipeline.version}  ${statusText(run.status, style)}`;
  const { usage } = run;
  const tokens =
    usage.model_calls === 0
      ? null
      : `${whole(usage.input_tokens)} in (${whole(usage.cached_tokens)} cached), ${whole(usage.output_tokens)} out`;
  const about = facts([
    ['why', run.status_detail === run.error?.detail ? null : run.status_detail],
    ['waits for', run.blocked_on.map((blocker) => `${blocker.kind} ${blocker.id ?? ''}`.trim()).join(', ')],
    ['since', beside.explained === null ? null : moment(beside.explained.since)],
    ['next', beside.explained?.next ?? null],
    ['stream', run.stream_id === run.id ? null : run.stream_id],
    ['tags', run.tags.join(', ')],
    ['created', moment(run.created_at)],
    ['took', elapsed(run.started_at, run.ended_at)],
    [
      'calls',
      usage.model_calls === 0 ? null : `${whole(usage.model_calls)} of models, ${whole(usage.tool_calls)} of tools`,
    ],
    ['tokens', tokens],
    ['cost', usage.cost_usd === 0 ? null : dollars(usage.cost_usd)],
    ['can', run.allowed_actions.join(', ')],
  ]);
  const error = run.error === null ? [] : [style('red', `${run.error.code}: ${readable(run.error.detail)}`)];
  return [
    first,
    ...about,
    ...error,
    ...stepsText(run, style),
    ...policyText(beside.contexts),
    ...outputText(run, style),
  ];
}

function stepsText(run: Api['Run'], style: Style): string[] {
  if (run.steps.length === 0) return [];
  const rows = run.steps.map((step) => [
    step.item === null ? step.id : `${step.id}[${step.item}]`,
    step.kind,
    statusText(step.status, style),
    step.reason ?? '',
    step.attempt > 1 ? `attempt ${step.attempt}` : '',
    elapsed(step.started_at, step.ended_at) ?? '',
  ]);
  return ['', ...table(['STEP', 'KIND', 'STATUS', 'WAITS FOR', '', 'TOOK'], rows)];
}

function outputText(run: Api['Run'], style: Style): string[] {
  if (run.output === null || run.output === undefined) return [];
  return ['', style('bold', 'output'), readable(run.output)];
}
