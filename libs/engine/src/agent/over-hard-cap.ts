import type { Contributor, OverHardCapBuild } from '#libs/context';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';
import type { AgentContext } from './agent-context.js';

type OverCap = Pick<OverHardCapBuild, 'size' | 'cap' | 'contributors' | 'knob'>;

/** Nothing helped: the request is not sent. Event, step, run, API and command line say the same numbers and the same knob. */
export async function failOverHardCap(
  context: AgentContext,
  call: { callNo: number; try: number },
  build: OverHardCapBuild,
): Promise<StepOutcome> {
  const { size, cap, contributors, knob } = build;
  const event = context.event('HardCapExceeded', [call.callNo, call.try, context.execution.row.fence], {
    size,
    cap,
    contributors: contributors.map((contributor) => ({ ...contributor })),
    knob,
  });
  await context.append([event]);
  return failedStep('over_hard_cap', hardCapSentence(call.callNo, build));
}

/** `the context of call 3 is 91,000 chars, over the hard cap of 80,000. Largest: …. To turn: …`. */
export function hardCapSentence(callNo: number, { size, cap, contributors, knob }: OverCap): string {
  const largest = contributors.map(contributorText).join(', ');
  return `the context of call ${callNo} is ${size} chars, over the hard cap of ${cap}. Largest: ${largest}. To turn: ${knob}`;
}

function contributorText({ kind, entry, name, chars }: Contributor): string {
  const place = entry === null ? '' : ` #${entry}`;
  return `${kind}${name === null ? '' : ` ${name}`}${place} (${chars} chars)`;
}
