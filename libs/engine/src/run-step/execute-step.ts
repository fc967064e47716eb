import { renderTemplate, STEP_KINDS } from '#libs/domain';
import { runAgentStep } from '../agent/run-agent-step.js';
import { runToolStep } from '../call-tools/run-tool-step.js';
import { runPipelineStep } from '../start-run/run-pipeline-step.js';
import type { StepExecution } from './step-execution.js';
import { failedStep, type StepOutcome } from './step-outcome.js';

/** The step kinds that this build executes. To add one: a case below. */
export const EXECUTABLE_STEP_KINDS = STEP_KINDS;

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
    case 'pipeline':
      return runPipelineStep({ ...execution, step });
    case 'for_each':
    case 'repeat':
    case 'approval':
    case 'wait_for':
    case 'sleep':
      // Begun and ended by the transaction that advances the run; no worker gets one.
      return failedStep('step_invalid', `steps of kind ${step.kind} are not executed by workers`);
  }
}
