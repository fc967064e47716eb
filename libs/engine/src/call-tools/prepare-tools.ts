import type { ToolDefinition } from '#libs/domain';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';
import type { StepExecution } from '../run-step/step-execution.js';

/** What has to happen before tools are resolved; null: they can be. A server that cannot be asked now may answer later. */
export async function prepareTools(
  { deps, definition, variables }: Pick<StepExecution, 'deps' | 'definition' | 'variables'>,
  names: readonly string[],
): Promise<StepOutcome | null> {
  const definitions = names.flatMap((name): ToolDefinition[] => {
    const found = definition.tools.get(name);
    return found === undefined ? [] : [found];
  });
  const prepared = await deps.tools.prepare(definitions, variables);
  return prepared.ok ? null : failedStep('tool_unavailable', prepared.detail);
}
