import type { ExpressionLanguage, ExpressionVariables, ToolDefinition } from '#libs/domain';
import type { RecordedCalls, ToolInvocation, ToolOutcome, Tools } from '#libs/engine';
import { matchesHost, Outbound, type ResolveHost } from '#libs/outbound';
import type { McpServerSettings, SecretSettings } from '#libs/platform';
import { parseArguments } from './arguments/parse-arguments.js';
import { SchemaValidator } from './arguments/schema-validator.js';
import { httpRequest } from './builtin/http-request.js';
import { builtinTools } from './builtin/index.js';
import { builtinKind } from './builtin-kind.js';
import { httpKind } from './http/http-kind.js';
import { McpKind } from './mcp/mcp-kind.js';
import type { LoadedTool } from './plugin/define-tool.js';
import { pipelineKind } from './pipeline-kind.js';
import { pluginKind } from './plugin/plugin-kind.js';
import { replayKind } from './replay-kind.js';
import { withTimeLimit } from './time-limit.js';
import type { ToolKindAdapter, ToolResolution } from './tool-kind-adapter.js';

export type ToolsOptions = {
  /** The language of `${…}` in definitions. Without it there are no tools of kind http. */
  expressions?: ExpressionLanguage;
  /** The operator's, bound to hosts; by name. */
  secrets?: ReadonlyMap<string, SecretSettings>;
  /** Host patterns: which hosts may be reached at private addresses, and what the tool `http_request` may read. */
  http?: { allowedHosts: readonly string[]; httpRequestHosts: readonly string[] };
  /** What was recorded, for tools of kind replay; without it there are none. */
  recorded?: RecordedCalls;
  /** The operator's MCP servers, by name. */
  mcpServers?: ReadonlyMap<string, McpServerSettings>;
  /** Told when a tool of an MCP server is not what it was before. */
  onToolChange?: (tool: string, server: string) => void;
  /** Tools of the operator's modules, from `loadPlugins`. */
  plugins?: ReadonlyMap<string, LoadedTool>;
  /** The process' clock, for `now`. */
  now?: () => Date;
  /** Instead of the system's resolver. */
  resolveHost?: ResolveHost;
};

type KindAdapters = { [K in ToolDefinition['kind']]: ToolKindAdapter | null };

/** What every provider accepts as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** `close` ends the connections and processes of MCP servers. */
export type ClosableTools = Tools & { close(): Promise<void> };

/** The tools of a process. A new kind: its adapter and a line in `kinds`. */
export function createTools(options: ToolsOptions): ClosableTools {
  const validator = new SchemaValidator();
  const kinds = toolKinds(options, validator);
  return {
    prepare: (definitions, variables) => prepare(kinds, definitions, variables),
    resolve: (name, definition) => resolve(kinds, validator, name, definition),
    invoke: (invocation) => invoke(kinds, invocation),
    parseArguments: (tool, text) => parseArguments(validator, tool.declaration.parameters, text),
    checkSchema: (schema, value) => validator.validate(schema, value),
    close: async () => {
      await Promise.all(Object.values(kinds).map((kind) => kind?.close?.() ?? Promise.resolve()));
    },
  };
}

function toolKinds(options: ToolsOptions, validator: SchemaValidator): KindAdapters {
  const { expressions, http, recorded, resolveHost, plugins } = options;
  const now = options.now ?? ((): Date => new Date());
  const secrets = options.secrets ?? new Map<string, SecretSettings>();
  const allowedHosts = http?.allowedHosts ?? [];
  const readable = http?.httpRequestHosts ?? [];
  const outbound = new Outbound({
    allowsPrivate: (url) => allowedHosts.some((pattern) => matchesHost(pattern, url)),
    resolve: resolveHost,
  });
  const builtins =
    readable.length === 0
      ? builtinTools
      : new Map([...builtinTools, ['http_request', httpRequest(outbound, readable)]]);
  return {
    builtin: builtinKind(now, builtins),
    http: expressions === undefined ? null : httpKind({ outbound, expressions, secrets, allowedHosts }),
    replay: recorded === undefined ? null : replayKind(recorded),
    mcp:
      expressions === undefined
        ? null
        : new McpKind({
            ...{ outbound, expressions, validator, secrets, allowedHosts, now },
            servers: options.mcpServers ?? new Map<string, McpServerSettings>(),
            onChange: options.onToolChange ?? ((): void => undefined),
          }),
    plugin: plugins === undefined ? null : pluginKind(plugins),
    pipeline: pipelineKind,
  };
}

async function prepare(
  kinds: KindAdapters,
  definitions: readonly ToolDefinition[],
  variables: ExpressionVariables,
): Promise<{ ok: true } | { ok: false; detail: string }> {
  const prepared = await Promise.all(
    definitions.map(async (definition) => {
      const done = (await kinds[definition.kind]?.prepare?.(definition, variables)) ?? { ok: true as const };
      return done.ok ? done : { ok: false as const, detail: `tool ${definition.name}: ${done.detail}` };
    }),
  );
  return prepared.find((done) => !done.ok) ?? { ok: true };
}

function resolve(
  kinds: KindAdapters,
  validator: SchemaValidator,
  name: string,
  definition: ToolDefinition | null,
): ToolResolution {
  if (!TOOL_NAME.test(name)) {
    return {
      ok: false,
      detail: `${JSON.stringify(name)} is not a tool name: expected 1 to 64 letters, digits, _ or -`,
    };
  }
  const kind = definition?.kind ?? 'builtin';
  const adapter = kinds[kind];
  if (adapter === null)
    return { ok: false, detail: `tool ${name}: the kind ${kind} is not available in this build of Weir` };
  const resolution = adapter.resolve(name, definition);
  if (!resolution.ok) return { ok: false, detail: `tool ${name}: ${resolution.detail}` };
  const usable = validator.checkSchema(resolution.tool.declaration.parameters);
  return usable.ok ? resolution : { ok: false, detail: `tool ${name}, parameters: ${usable.detail}` };
}

async function invoke(kinds: KindAdapters, invocation: ToolInvocation): Promise<ToolOutcome> {
  const { definition, tool, signal } = invocation;
  const adapter = kinds[definition?.kind ?? 'builtin'];
  if (adapter === null) throw new TypeError(`tool ${tool.name} was invoked though its kind cannot be resolved`);
  return withTimeLimit(tool.timeoutMs, signal, (limited) => adapter.invoke({ ...invocation, signal: limited }));
}
