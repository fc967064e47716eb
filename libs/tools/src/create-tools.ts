import type { ExpressionLanguage, ToolDefinition } from '#libs/domain';
import type { RecordedCalls, ToolInvocation, ToolOutcome, Tools } from '#libs/engine';
import { matchesHost, Outbound, type ResolveHost } from '#libs/outbound';
import type { SecretSettings } from '#libs/platform';
import { parseArguments } from './arguments/parse-arguments.js';
import { SchemaValidator } from './arguments/schema-validator.js';
import { httpRequest } from './builtin/http-request.js';
import { builtinTools } from './builtin/index.js';
import { builtinKind } from './builtin-kind.js';
import { httpKind } from './http/http-kind.js';
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
  /** The process' clock, for `now`. */
  now?: () => Date;
  /** Instead of the system's resolver. */
  resolveHost?: ResolveHost;
};

type KindAdapters = { [K in ToolDefinition['kind']]: ToolKindAdapter | null };

/** What every provider accepts as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The tools of a process. A new kind: its adapter and a line in `kinds`. */
export function createTools(options: ToolsOptions): Tools {
  const validator = new SchemaValidator();
  const kinds = toolKinds(options);
  return {
    resolve: (name, definition) => resolve(kinds, validator, name, definition),
    invoke: (invocation) => invoke(kinds, invocation),
    parseArguments: (tool, text) => parseArguments(validator, tool.declaration.parameters, text),
    checkSchema: (schema, value) => validator.validate(schema, value),
  };
}

function toolKinds({ expressions, secrets, http, recorded, now, resolveHost }: ToolsOptions): KindAdapters {
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
    builtin: builtinKind(now ?? (() => new Date()), builtins),
    http:
      expressions === undefined
        ? null
        : httpKind({ outbound, expressions, secrets: secrets ?? new Map(), allowedHosts }),
    replay: recorded === undefined ? null : replayKind(recorded),
    mcp: null,
    plugin: null,
    pipeline: null,
  };
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
