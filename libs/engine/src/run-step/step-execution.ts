import type { ExpressionVariables, PipelineDefinition, PipelineStep } from '#libs/domain';
import type { HeldStep } from '../claim/held-steps.js';
import type { EngineDeps } from '../engine-deps.js';
import type { RunRecord, StepRunRecord } from '../ports/run-records.port.js';

/** What every kind of step is executed with. */
export type StepExecution = {
  deps: EngineDeps;
  run: RunRecord;
  row: StepRunRecord;
  definition: PipelineDefinition;
  step: PipelineStep;
  /** Roots for `${…}`: inputs, steps, run. */
  variables: ExpressionVariables;
  held: HeldStep;
};
