import { renderTemplate } from '#libs/domain';
import { runAgentStep } from '../agent/run-agent-step.js';
import { runToolStep } from '../call-tools/run-tool-step.js';
import type { StepExecution } from './step-execution.js';
import { failedStep, type StepOutcome } from './step-outcome.js';

/** The step kinds that this build executes. To add one: a case below and a line here. */
export const EXECUTABLE_STEP_KINDS = ['agent', 'tool', 'transform'] as const;

export async function executeStep(execution: StepExecution): Promise<StepOutcome> {
  const { step } = execution;
  switch (step.kind) {
    case 'agent':
      return runAgentStep({ ...execution, step });
    case 'tool':
      return runToolStep({ ...execution, step });
    case 'transform': {
      const rendered = renderTemplate(step.transform, execution.variables, execution.deps.expressions);
      return rendered.ok
        ? { kind: 'succeeded', output: rendered.value }
        : failedStep('expression_failed', `transform: ${rendered.detail}`);
    }
    case 'for_each':
    case 'repeat':
    case 'pipeline':
    case 'approval':
    case 'wait_for':
    case 'sleep':
      // Refused when the pipeline is applied; a stored document of another build may still hold one.
      return failedStep('step_invalid', `this build does not execute steps of kind ${step.kind}`);
  }
}
