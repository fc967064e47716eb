import { boundedResult, resultText } from '../results/result-text.js';
import { toolError } from '../results/tool-error.js';
import { DEFAULT_TOOL_TIMEOUT_MS, type ToolKindAdapter } from '../tool-kind-adapter.js';
import type { LoadedTool } from './define-tool.js';

/** `kind: plugin`: tools of modules that the operator lists; they run in this process and are trusted like it. */
export function pluginKind(tools: ReadonlyMap<string, LoadedTool>): ToolKindAdapter {
  return {
    resolve(name, definition) {
      if (definition?.kind !== 'plugin') return { ok: false, detail: 'it names no plugin' };
      const tool = tools.get(definition.plugin);
      if (tool === undefined) {
        const known = [...tools.keys()].join(', ') || 'none';
        return { ok: false, detail: `there is no plugin tool ${definition.plugin}; there are ${known}` };
      }
      return {
        ok: true,
        tool: {
          name,
          declaration: {
            name,
            description: definition.description ?? tool.description,
            parameters: definition.parameters ?? tool.parameters,
          },
          effect: definition.effect ?? tool.effect,
          primaryArgument: definition.primaryArgument ?? tool.primaryArgument,
          timeoutMs: definition.timeoutMs ?? tool.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
          requiresApproval: definition.requiresApproval,
        },
      };
    },
    async invoke({ definition, tool, args, idempotencyKey, position, signal, memory }) {
      const loaded = definition?.kind === 'plugin' ? tools.get(definition.plugin) : undefined;
      if (loaded === undefined) return toolError(`${tool.name} names no plugin.`);
      const { runId, stepId, streamId } = position;
      try {
        const answer = await loaded.run(args, { signal, idempotencyKey, runId, stepId, streamId, memory });
        return boundedResult(answer === undefined ? 'done' : resultText(answer));
      } catch (error) {
        if (signal.aborted) throw error;
        return toolError(error instanceof Error ? error.message : String(error), { retryable: isRetryable(error) });
      }
    },
  };
}

/** A plugin says so with `retryable: true` on what it throws. */
const isRetryable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true;
