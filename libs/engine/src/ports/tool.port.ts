import type { Content, ExpressionVariables, Json, JsonObject, ToolDefinition, ToolEffect } from '#libs/domain';
import type { ToolDeclaration } from '#libs/context';
import type { CallPosition } from './model.port.js';

/** A tool as a step sees it: declared in the pipeline (its definition) or built in. */
export type ResolvedTool = {
  name: string;
  declaration: ToolDeclaration;
  effect: ToolEffect;
  primaryArgument: string | null;
  timeoutMs: number;
  requiresApproval: boolean;
  /**
   * Its results come from a recording, by position: whatever the arguments, one after the other in call order (so that their
   * entries are those of the recording), and however often they repeat.
   */
  isRecorded?: true;
};

export type ToolInvocation = {
  tool: ResolvedTool;
  /** The pipeline's definition of the tool, null for a builtin named directly. */
  definition: ToolDefinition | null;
  /** Parsed arguments, already validated against the declaration's schema. */
  args: JsonObject;
  idempotencyKey: string | null;
  position: CallPosition & { ordinal: number };
  /** For tools whose result comes later: what it is sent under. */
  toolCallId?: string;
  /** Variables for `${…}` in the definition: inputs, run, args. */
  variables: JsonObject;
  signal: AbortSignal;
  memory: ToolMemory;
  readResult: (entry: number) => Promise<Content | null>;
};

/** The stream's memory; writes become events. */
export interface ToolMemory {
  read(): Promise<{ [key: string]: Json }>;
  write(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<boolean>;
}

export type ToolOutcome =
  | { status: 'ok'; content: Content }
  /** `mayHaveTakenEffect`: the call went out and nobody answered it. */
  | { status: 'error'; content: string; retryable: boolean; mayHaveTakenEffect?: true }
  | { status: 'pending'; content: string }
  | { status: 'cancelled'; content: string }
  /** Of a recording, as it is there; null: the session never answered this call, so its step is cancelled after the others. */
  | { status: 'recorded'; result: { status: 'ok' | 'error'; content: Content } | null };

export interface Tools {
  /**
   * Learns from servers what resolving these tools needs to know. `detail` says which server cannot be asked now; what is
   * wrong with a tool for good is said by `resolve`.
   */
  prepare(
    definitions: readonly ToolDefinition[],
    variables: ExpressionVariables,
  ): Promise<{ ok: true } | { ok: false; detail: string }>;
  /** Resolves an agent's tool names against the pipeline's definitions and the builtins. */
  resolve(
    name: string,
    definition: ToolDefinition | null,
  ): { ok: true; tool: ResolvedTool } | { ok: false; detail: string };
  /** Ends within the tool's time limit, or soon after the signal. Faults of a tool are values; only a bug throws. */
  invoke(invocation: ToolInvocation): Promise<ToolOutcome>;
  /** Checks arguments (the string as received) against the tool's schema. */
  parseArguments(
    tool: ResolvedTool,
    argumentsText: string,
  ): { ok: true; args: JsonObject } | { ok: false; detail: string };
  /** Checks a value against a JSON Schema (an agent's `output_schema`). `detail` names each fault with its pointer. */
  checkSchema(schema: JsonObject, value: Json): { ok: true } | { ok: false; detail: string };
}
