import { toolError } from './results/tool-error.js';
import { DEFAULT_TOOL_TIMEOUT_MS, type ToolKindAdapter } from './tool-kind-adapter.js';

/** `kind: pipeline`: a run that the engine starts; what is called here is its declaration alone. */
export const pipelineKind: ToolKindAdapter = {
  resolve(name, definition) {
    if (definition?.kind !== 'pipeline') return { ok: false, detail: 'it names no pipeline' };
    const parameters = definition.parameters ?? { type: 'object' };
    return {
      ok: true,
      tool: {
        name,
        declaration: { name, description: definition.description ?? '', parameters },
        // Starting it again finds the run that was started.
        effect: 'idempotent',
        primaryArgument: definition.primaryArgument,
        timeoutMs: definition.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
        requiresApproval: definition.requiresApproval,
      },
    };
  },
  invoke: ({ tool }) =>
    Promise.resolve(
      toolError(`${tool.name} is a pipeline: only agents call it as a tool. Use a step with \`pipeline\`.`),
    ),
};
