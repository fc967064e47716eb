import type { JsonObject, ToolEffect } from '#libs/domain';
import type { ToolInvocation, ToolOutcome } from '#libs/engine';

/** A tool that comes with Weir. `run` gets arguments that fit `parameters`; its faults are outcomes. */
export type BuiltinTool = {
  name: string;
  description: string;
  parameters: JsonObject;
  effect: ToolEffect;
  primaryArgument: string | null;
  run(invocation: BuiltinInvocation): Promise<ToolOutcome>;
};

export type BuiltinInvocation = Pick<ToolInvocation, 'args' | 'memory' | 'readResult' | 'signal'> & {
  /** The process' clock. */
  now: () => Date;
};
