import type { z } from 'zod';
import type { Json, JsonObject, ToolEffect } from '#libs/domain';
import type { ToolMemory } from '#libs/engine';

/** What a tool of a plugin is told beside its arguments. */
export type PluginCall = {
  /** Aborts when the run is cancelled or the tool's time is up. */
  signal: AbortSignal;
  /** For `effect: idempotent_with_key`: the same on every try of the same call. */
  idempotencyKey: string | null;
  runId: string;
  stepId: string;
  streamId: string;
  memory: ToolMemory;
};

/** `input`: a JSON Schema of type object, or a zod schema. `run` answers text or JSON; what it throws is told to the model. */
export type PluginTool<Input = JsonObject> = {
  name: string;
  description?: string;
  input: JsonObject | z.ZodType<Input>;
  effect?: ToolEffect;
  /** The argument that stands for a call whose result is masked. */
  primaryArgument?: string;
  timeoutMs?: number;
  run(args: Input, call: PluginCall): unknown;
};

/** For types only: what it is given is what it returns. */
export function defineTool<Input>(tool: PluginTool<Input>): PluginTool<Input> {
  return tool;
}

export type PluginApi = { defineTool: typeof defineTool; z: typeof z };

export type LoadedTool = {
  name: string;
  description: string;
  parameters: JsonObject;
  effect: ToolEffect;
  primaryArgument: string | null;
  timeoutMs: number | null;
  run(args: JsonObject, call: PluginCall): Promise<Json | undefined>;
};
