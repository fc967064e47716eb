import type { Api } from '#libs/client';
import { facts } from '../terminal/table.js';

type Policy = NonNullable<Api['StepDetail']['context']>['policy'];
/** A context policy and the steps of a run that follow it. */
export type RunContext = { steps: string[]; policy_hash: string; policy: Policy };

/** The policies in effect, all levels merged: a line for each section, with every knob. */
export function policyText(contexts: readonly RunContext[]): string[] {
  return contexts.flatMap(({ steps, policy }) => {
    const { mode, window, budget, blocks, compaction, memory } = policy;
    const sections = { window, budget, blocks, compaction, memory };
    const named = Object.entries(sections).map(
      ([name, knobs]) => [name, knobs === null ? 'off' : knobsText(knobs)] as const,
    );
    return ['', `CONTEXT of ${steps.join(', ')}: ${mode}`, ...facts(named).map((line) => `  ${line}`)];
  });
}

const knobsText = (knobs: { readonly [knob: string]: string | number | null }): string =>
  Object.entries(knobs)
    .map(([knob, value]) => `${knob} ${typeof value === 'number' ? value.toLocaleString('en-US') : (value ?? 'none')}`)
    .join(', ');
