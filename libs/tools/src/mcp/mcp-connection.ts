import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { canonicalJson, jsonObjectSchema, type JsonObject, type ToolEffect } from '#libs/domain';

export type McpTool = { name: string; description: string; parameters: JsonObject; effect: ToolEffect };

/** `changed` names tools whose schema or description is not what it was when the list was last read. */
export type McpListing = { tools: ReadonlyMap<string, McpTool>; changed: readonly string[] };

const FRESH_MS = 60_000;
const CONNECT_MS = 15_000;
const MOST_PAGES = 100;

const listedTool = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: jsonObjectSchema,
  annotations: z
    .looseObject({ readOnlyHint: z.boolean().optional(), idempotentHint: z.boolean().optional() })
    .optional(),
});

/** One open connection to a server, and what it said that it can do. */
export class McpConnection {
  private listing: { tools: ReadonlyMap<string, McpTool>; atMs: number } | null = null;
  private isStale = false;
  isClosed = false;

  private constructor(
    private readonly client: Client,
    private readonly now: () => Date,
  ) {}

  /** @throws what the transport throws, or the SDK's own error when nothing answers in time. */
  static async open(transport: Transport, now: () => Date): Promise<McpConnection> {
    const client = new Client({ name: 'weir', version: '1' }, { capabilities: {} });
    const connection = new McpConnection(client, now);
    client.onclose = () => (connection.isClosed = true);
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (connection.isStale = true));
    try {
      await client.connect(transport, { timeout: CONNECT_MS });
    } catch (error) {
      await client.close();
      throw error;
    }
    return connection;
  }

  /** As of at most a minute ago, or since the server said that it changed. */
  async tools(): Promise<McpListing> {
    const known = this.listing;
    if (known !== null && !this.isStale && this.now().getTime() - known.atMs < FRESH_MS)
      return { tools: known.tools, changed: [] };
    this.isStale = false;
    const tools = await this.listTools();
    this.listing = { tools, atMs: this.now().getTime() };
    return { tools, changed: known === null ? [] : changedTools(known.tools, tools) };
  }

  call(name: string, args: JsonObject, options: { signal: AbortSignal; timeoutMs: number }): Promise<unknown> {
    const { signal, timeoutMs: timeout } = options;
    return this.client.callTool({ name, arguments: args }, undefined, { signal, timeout });
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async listTools(): Promise<ReadonlyMap<string, McpTool>> {
    const tools = new Map<string, McpTool>();
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const listed = await this.client.listTools(cursor === undefined ? {} : { cursor }, { timeout: CONNECT_MS });
      for (const given of listed.tools) {
        const tool = toolOf(listedTool.parse(given));
        tools.set(tool.name, tool);
      }
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    return tools;
  }
}

function toolOf({ name, description, inputSchema, annotations }: z.infer<typeof listedTool>): McpTool {
  const effect: ToolEffect =
    annotations?.readOnlyHint === true
      ? 'read_only'
      : annotations?.idempotentHint === true
        ? 'idempotent'
        : 'non_idempotent';
  return { name, description: description ?? '', parameters: inputSchema, effect };
}

function changedTools(before: ReadonlyMap<string, McpTool>, now: ReadonlyMap<string, McpTool>): string[] {
  const isSame = (a: McpTool, b: McpTool | undefined): boolean =>
    b !== undefined && canonicalJson({ ...a }) === canonicalJson({ ...b });
  return [...before.values()].filter((tool) => !isSame(tool, now.get(tool.name))).map((tool) => tool.name);
}
