import { builtinTools, type BuiltinTool } from './builtin/index.js';
import { toolError } from './results/tool-error.js';
import { DEFAULT_TOOL_TIMEOUT_MS, type ToolKindAdapter } from './tool-kind-adapter.js';

/** Tools that come with Weir, named directly by an agent or declared with `kind: builtin` (own name, own description). */
export function builtinKind(now: () => Date, tools: ReadonlyMap<string, BuiltinTool> = builtinTools): ToolKindAdapter {
  return {
    resolve(name, definition) {
      const builtinName = definition?.kind === 'builtin' ? definition.builtin : name;
      const builtin = tools.get(builtinName);
      if (builtin === undefined) {
        return {
          ok: false,
          detail: `there is no builtin tool ${builtinName}; builtin tools are ${[...tools.keys()].join(', ')}`,
        };
      }
      return {
        ok: true,
        tool: {
          name,
          declaration: {
            name,
            description: definition?.description ?? builtin.description,
            parameters: definition?.parameters ?? builtin.parameters,
          },
          effect: definition?.effect ?? builtin.effect,
          primaryArgument: definition?.primaryArgument ?? builtin.primaryArgument,
          timeoutMs: definition?.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
          requiresApproval: definition?.requiresApproval ?? false,
        },
      };
    },
    async invoke({ tool, definition, args, memory, readResult, signal }) {
      const builtin = tools.get(definition?.kind === 'builtin' ? definition.builtin : tool.name);
      if (builtin === undefined) return toolError(`there is no builtin tool ${tool.name}.`);
      return builtin.run({ args, memory, readResult, signal, now });
    },
  };
}
