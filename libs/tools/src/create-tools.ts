import type { ToolDefinition } from '#libs/domain';
import type { ToolInvocation, ToolOutcome, Tools } from '#libs/engine';
import { parseArguments } from './arguments/parse-arguments.js';
import { SchemaValidator } from './arguments/schema-validator.js';
import { builtinKind } from './builtin-kind.js';
import { withTimeLimit } from './time-limit.js';
import type { ToolKindAdapter, ToolResolution } from './tool-kind-adapter.js';

export type ToolsOptions = {
  /** The process' clock, for `now`. */
  now?: () => Date;
};

type KindAdapters = { [K in ToolDefinition['kind']]: ToolKindAdapter | null };

/** What every provider accepts as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The tools of a process. A new kind: its adapter and a line in `kinds`. */
export function createTools(options: ToolsOptions): Tools {
  const validator = new SchemaValidator();
  const kinds: KindAdapters = {
    builtin: builtinKind(options.now ?? (() => new Date())),
    http: null,
    replay: null,
    mcp: null,
    plugin: null,
    pipeline: null,
  };
  return {
    resolve: (name, definition) => resolve(kinds, validator, name, definition),
    invoke: (invocation) => invoke(kinds, invocation),
    parseArguments: (tool, text) => parseArguments(validator, tool.declaration.parameters, text),
    checkSchema: (schema, value) => validator.validate(schema, value),
  };
}

function resolve(kinds: KindAdapters, validator: SchemaValidator, name: string, definition: ToolDefinition | null): ToolResolution {
  if (!TOOL_NAME.test(name)) {
    return { ok: false, detail: `${JSON.stringify(name)} is not a tool name: expected 1 to 64 letters, digits, _ or -` };
  }
  const kind = definition?.kind ?? 'builtin';
  const adapter = kinds[kind];
  if (adapter === null) return { ok: false, detail: `tool ${name}: the kind ${kind} is not available in this build of Weir` };
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
