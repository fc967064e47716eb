import type { ExpressionLanguage, PipelineFacts } from '#libs/domain';
import { checkContextPolicy } from '#libs/context';
import { EXECUTABLE_STEP_KINDS } from '#libs/engine';
import type { Settings } from '#libs/platform';
import { builtinTools, SchemaValidator } from '#libs/tools';

/** What documents are checked against when they are applied: what this build executes, and the operator's settings. */
export function pipelineFacts(
  settings: Pick<Settings, 'connections' | 'mcpServers' | 'plugins' | 'scriptsDir' | 'http'>,
  expressions: ExpressionLanguage,
): PipelineFacts {
  const validator = new SchemaValidator();
  return {
    expressions,
    executableStepKinds: EXECUTABLE_STEP_KINDS,
    executableToolKinds: ['builtin', 'http', 'mcp', 'pipeline', 'plugin', 'replay'],
    missingFeatures: [],
    builtinTools: [...builtinTools.keys(), ...(settings.http.httpRequestHosts.length === 0 ? [] : ['http_request'])],
    // Scripted models are for tests: where no folder of scripts is set, authors cannot name them.
    connections: [...settings.connections.keys(), ...(settings.scriptsDir === null ? [] : ['scripted'])],
    defaultModel: null,
    plugins: settings.plugins,
    mcpServers: [...settings.mcpServers.keys()],
    checkJsonSchema: (schema) => {
      const checked = validator.checkSchema(schema);
      return checked.ok ? null : checked.detail;
    },
    checkContextPolicy,
  };
}
