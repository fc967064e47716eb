import type { ExpressionVariables, ToolDefinition } from '#libs/domain';
import type { ResolvedTool, ToolInvocation, ToolOutcome } from '#libs/engine';

export type ToolResolution = { ok: true; tool: ResolvedTool } | { ok: false; detail: string };

/** What a kind of tool brings: `name` is what the agent calls it, `definition` null a builtin named directly. */
export type ToolKindAdapter = {
  /** For kinds whose tools are described by a server: asks it, so that `resolve` can answer. */
  prepare?(
    definition: ToolDefinition,
    variables: ExpressionVariables,
  ): Promise<{ ok: true } | { ok: false; detail: string }>;
  resolve(name: string, definition: ToolDefinition | null): ToolResolution;
  /** Rejects only when the invocation's signal aborts or for a bug: `createTools` turns both into outcomes. */
  invoke(invocation: ToolInvocation): Promise<ToolOutcome>;
  /** Ends what the kind keeps open. */
  close?(): Promise<void>;
};

/** Where a definition names no timeout. */
export const DEFAULT_TOOL_TIMEOUT_MS = 60_000;
