import { canonicalJson, type ExpressionLanguage, type ExpressionVariables, type ToolDefinition } from '#libs/domain';
import type { ToolInvocation, ToolOutcome } from '#libs/engine';
import { matchesHost, type Outbound } from '#libs/outbound';
import type { McpServerSettings, SecretSettings } from '#libs/platform';
import type { SchemaValidator } from '../arguments/schema-validator.js';
import { refusedSecret, secretsOf } from '../http/bound-secrets.js';
import { redactOutcome } from '../http/redact.js';
import { renderRequest, type HttpDefinition } from '../http/render-request.js';
import { toolError } from '../results/tool-error.js';
import { DEFAULT_TOOL_TIMEOUT_MS, type ToolKindAdapter, type ToolResolution } from '../tool-kind-adapter.js';
import type { McpTool } from './mcp-connection.js';
import { mcpOutcome } from './mcp-result.js';
import { McpServers, type McpTarget } from './mcp-servers.js';

export type McpDefinition = Extract<ToolDefinition, { kind: 'mcp' }>;

export type McpToolOptions = {
  outbound: Outbound;
  expressions: ExpressionLanguage;
  validator: SchemaValidator;
  servers: ReadonlyMap<string, McpServerSettings>;
  secrets: ReadonlyMap<string, SecretSettings>;
  allowedHosts: readonly string[];
  now: () => Date;
  /** Told when a server's tool is not what it was before. */
  onChange: (tool: string, server: string) => void;
};

type Located = { ok: true; target: McpTarget; used: SecretSettings[] } | { ok: false; detail: string };

/** `kind: mcp`: tools of Model Context Protocol servers; what they take is what their server says. */
export class McpKind implements ToolKindAdapter {
  private readonly servers: McpServers;
  /** By server: what was last listed. `resolve` must not ask anybody. */
  private readonly listings = new Map<string, ReadonlyMap<string, McpTool>>();

  constructor(private readonly options: McpToolOptions) {
    this.servers = new McpServers(options.outbound, options.now);
  }

  async prepare(
    definition: ToolDefinition,
    variables: ExpressionVariables,
  ): Promise<{ ok: true } | { ok: false; detail: string }> {
    if (definition.kind !== 'mcp') return { ok: true };
    const located = this.locate(definition, variables);
    if (!located.ok) return located;
    try {
      await this.listed(definition, located.target);
      return { ok: true };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  resolve(name: string, definition: ToolDefinition | null): ToolResolution {
    if (definition?.kind !== 'mcp') return { ok: false, detail: 'it names no MCP server' };
    const listing = this.listings.get(serverKey(definition));
    const tool = listing?.get(definition.remoteName);
    if (listing !== undefined && tool === undefined) {
      const known = [...listing.keys()].sort().join(', ');
      return { ok: false, detail: `its MCP server has no tool ${definition.remoteName}; it has ${known}` };
    }
    if (tool === undefined) return { ok: false, detail: 'its MCP server has not been asked yet' };
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
        primaryArgument: definition.primaryArgument,
        timeoutMs: definition.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
        requiresApproval: definition.requiresApproval,
      },
    };
  }

  async invoke(invocation: ToolInvocation): Promise<ToolOutcome> {
    const { definition, args, tool, signal, variables } = invocation;
    if (definition?.kind !== 'mcp') return toolError(`${tool.name} names no MCP server.`);
    const located = this.locate(definition, variables);
    if (!located.ok) return toolError(`${tool.name} cannot be called: ${located.detail}.`);
    let isSent = false;
    try {
      const now = await this.listed(definition, located.target);
      if (now === undefined) return toolError(`its server has no tool ${definition.remoteName} any more.`);
      // The step was begun with another schema: what the server takes now decides.
      const fits = this.options.validator.validate(now.parameters, args);
      if (!fits.ok) return toolError(`${tool.name} takes other arguments now: ${fits.detail}`);
      const connection = await this.servers.connect(located.target);
      isSent = true;
      const answer = await connection.call(definition.remoteName, args, { signal, timeoutMs: tool.timeoutMs });
      return redactOutcome(mcpOutcome(answer), located.used);
    } catch (error) {
      if (signal.aborted) throw error;
      const detail = error instanceof Error ? error.message : String(error);
      const failure = { retryable: true, mayHaveTakenEffect: isSent };
      return redactOutcome(toolError(`${tool.name} failed: ${detail}`, failure), located.used);
    }
  }

  close(): Promise<void> {
    return this.servers.close();
  }

  private async listed(definition: McpDefinition, target: McpTarget): Promise<McpTool | undefined> {
    const connection = await this.servers.connect(target);
    const { tools, changed } = await connection.tools();
    const key = serverKey(definition);
    this.listings.set(key, tools);
    for (const tool of changed) this.options.onChange(tool, key);
    return tools.get(definition.remoteName);
  }

  private locate(definition: McpDefinition, variables: ExpressionVariables): Located {
    if (definition.server.from === 'settings') {
      const server = this.options.servers.get(definition.server.name);
      if (server !== undefined) return { ok: true, target: { kind: 'process', server }, used: [] };
      const known = [...this.options.servers.keys()].join(', ') || 'none';
      return {
        ok: false,
        detail: `there is no MCP server ${definition.server.name}; the operator sets them in weir.yml (${known})`,
      };
    }
    return this.locateUrl(definition, definition.server, variables);
  }

  private locateUrl(
    definition: McpDefinition,
    { url, headers }: Extract<McpDefinition['server'], { from: 'url' }>,
    variables: ExpressionVariables,
  ): Located {
    const { secrets, expressions, allowedHosts } = this.options;
    const request: HttpDefinition = {
      ...definition,
      kind: 'http',
      method: 'POST',
      url,
      headers,
      query: new Map(),
      body: null,
    };
    const known = secretsOf(request, secrets, expressions);
    if (!known.ok) return known;
    const rendered = renderRequest(request, { ...variables, secrets: known.values }, expressions);
    if (!rendered.ok) return rendered;
    const { value } = rendered;
    const refused = refusedSecret(
      known.used,
      value.url,
      allowedHosts.some((pattern) => matchesHost(pattern, value.url)),
    );
    if (refused !== null) return { ok: false, detail: refused };
    return { ok: true, target: { kind: 'http', url: value.url, headers: value.headers }, used: known.used };
  }
}

/** Values of templates do not change what a server can do, so the templates name it. */
function serverKey({ server }: McpDefinition): string {
  return server.from === 'settings' ? server.name : canonicalJson({ url: server.url, headers: [...server.headers] });
}
