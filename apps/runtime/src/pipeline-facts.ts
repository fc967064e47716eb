import type { ExpressionLanguage, PipelineFacts } from '#libs/domain';
import { checkContextPolicy } from '#libs/context';
import { EXECUTABLE_STEP_KINDS } from '#libs/engine';
import type { Settings } from '#libs/platform';
import { builtinTools } from '#libs/tools';

/** What documents are checked against when they are applied: what this build executes, and the operator's settings. */
export function pipelineFacts(settings: Pick<Settings, 'connections' | 'mcpServers' | 'plugins' | 'scriptsDir'>, expressions: ExpressionLanguage): PipelineFacts {
  return {
    expressions,
    executableStepKinds: EXECUTABLE_STEP_KINDS,
    executableToolKinds: ['builtin', 'http'],
    missingFeatures: ['on_error', 'on_busy', 'spend_limit', 'concurrency', 'tool_approval', 'fallback_models'],
    builtinTools: [...builtinTools.keys()],
    // Scripted models are for tests: where no folder of scripts is set, authors cannot name them.
    connections: [...settings.connections.keys(), ...(settings.scriptsDir === null ? [] : ['scripted'])],
    defaultModel: null,
    plugins: settings.plugins,
    mcpServers: [...settings.mcpServers.keys()],
    checkContextPolicy,
  };
}
