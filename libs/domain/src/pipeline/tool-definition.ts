import type { ToolEffect } from '../events/conversation-events.js';
import type { JsonObject } from '../json.js';
import type { Template } from './template.js';

export const TOOL_KINDS = ['http', 'mcp', 'builtin', 'pipeline', 'plugin', 'replay'] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** Tools that an agent may name without a declaration. */
export const BUILTIN_TOOL_NAMES = [
  'memory_write',
  'memory_read',
  'memory_delete',
  'read_tool_result',
  'now',
  'http_request',
] as const;

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type ToolDefinition = ToolBase & ToolTarget;

export type ToolBase = {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments; null: the adapter knows it (mcp, builtin, plugin), else an object of anything. */
  readonly parameters: JsonObject | null;
  /** The document's word, else `read_only` for GET and HEAD, else `non_idempotent`; null: builtin, plugin and mcp say it themselves. */
  readonly effect: ToolEffect | null;
  readonly timeoutMs: number | null;
  readonly requiresApproval: boolean;
  /** The argument that a masked result's placeholder shows. */
  readonly primaryArgument: string | null;
  /** What happens to a non-idempotent call that started and left no result. Default `fail`: it needs nobody and hides nothing. */
  readonly onUnknownOutcome: 'ask' | 'fail' | 'tell_model';
};

/** Strings of targets are templates over `args`, `inputs`, `run` and `secrets`. */
export type ToolTarget =
  | {
      readonly kind: 'http';
      readonly method: HttpMethod;
      readonly url: string;
      readonly query: ReadonlyMap<string, Template>;
      readonly headers: ReadonlyMap<string, string>;
      /** null: none. */
      readonly body: Template;
      /** What the endpoint answers is a receipt; the result is sent to Weir. Absent: it is the result. */
      readonly resultComesLater?: boolean;
    }
  | {
      readonly kind: 'mcp';
      readonly server: McpServer;
      /** The tool's name on the server. */
      readonly remoteName: string;
    }
  | { readonly kind: 'builtin'; readonly builtin: string }
  | { readonly kind: 'pipeline'; readonly pipeline: string; readonly version: number | null }
  | { readonly kind: 'plugin'; readonly plugin: string }
  | { readonly kind: 'replay'; readonly recording: string };

export type McpServer =
  /** A server of the operator's settings. */
  | { readonly from: 'settings'; readonly name: string }
  /** Streamable HTTP. */
  | { readonly from: 'url'; readonly url: string; readonly headers: ReadonlyMap<string, string> };
