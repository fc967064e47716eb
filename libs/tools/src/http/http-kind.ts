import {
  isJsonObject,
  type ExpressionLanguage,
  type ExpressionVariables,
  type JsonObject,
  type ToolDefinition,
} from '#libs/domain';
import type { ResolvedTool, ToolInvocation, ToolOutcome } from '#libs/engine';
import { matchesHost, type Outbound } from '#libs/outbound';
import type { SecretSettings } from '#libs/platform';
import { toolError } from '../results/tool-error.js';
import { DEFAULT_TOOL_TIMEOUT_MS, type ToolKindAdapter, type ToolResolution } from '../tool-kind-adapter.js';
import { refusedSecret, secretsOf } from './bound-secrets.js';
import { readResponse } from './read-response.js';
import { redactOutcome } from './redact.js';
import { renderRequest, type HttpDefinition } from './render-request.js';
import { sendRequest } from './send-request.js';

export type HttpToolOptions = {
  outbound: Outbound;
  expressions: ExpressionLanguage;
  secrets: ReadonlyMap<string, SecretSettings>;
  /** Host patterns that may be reached at private addresses and over plain http with secrets. */
  allowedHosts: readonly string[];
};

const ANY_OBJECT: JsonObject = { type: 'object' };

/** `kind: http`: one request per call, described by the pipeline's author, bounded by the operator. */
export function httpKind(options: HttpToolOptions): ToolKindAdapter {
  return {
    resolve: (name, definition) =>
      definition?.kind === 'http'
        ? resolve(options, name, definition)
        : { ok: false, detail: 'it has no http definition' },
    async invoke(invocation) {
      const { definition } = invocation;
      return definition?.kind === 'http'
        ? request(options, invocation, definition)
        : toolError(`${invocation.tool.name} has no http definition.`);
    },
  };
}

function resolve(
  options: HttpToolOptions,
  name: string,
  definition: Extract<ToolDefinition, { kind: 'http' }>,
): ToolResolution {
  const secrets = secretsOf(definition, options.secrets, options.expressions);
  if (!secrets.ok) return secrets;
  const isRead = definition.method === 'GET' || definition.method === 'HEAD';
  return {
    ok: true,
    tool: {
      name,
      declaration: { name, description: definition.description ?? '', parameters: definition.parameters ?? ANY_OBJECT },
      effect: definition.effect ?? (isRead ? 'read_only' : 'non_idempotent'),
      primaryArgument: definition.primaryArgument,
      timeoutMs: definition.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
      requiresApproval: definition.requiresApproval,
    },
  };
}

async function request(
  options: HttpToolOptions,
  invocation: ToolInvocation,
  definition: HttpDefinition,
): Promise<ToolOutcome> {
  const secrets = secretsOf(definition, options.secrets, options.expressions);
  if (!secrets.ok) return toolError(`${invocation.tool.name} cannot be called: ${secrets.detail}.`);
  const rendered = renderRequest(definition, variablesOf(invocation, secrets.values), options.expressions);
  if (!rendered.ok)
    return redactOutcome(toolError(`${invocation.tool.name} cannot be called: ${rendered.detail}.`), secrets.used);
  const { value: ready } = rendered;
  if (!ready.headers.has('user-agent')) ready.headers.set('user-agent', 'weir');
  if (invocation.idempotencyKey !== null) ready.headers.set('idempotency-key', invocation.idempotencyKey);
  if (definition.resultComesLater === true) addReturnAddress(ready.headers, invocation);
  const isOperatorHost = (url: URL): boolean => options.allowedHosts.some((pattern) => matchesHost(pattern, url));
  const sent = await sendRequest(options.outbound, ready, {
    refuse: (url) => refusedSecret(secrets.used, url, isOperatorHost(url)),
    mayRepeat: invocation.tool.effect !== 'non_idempotent',
    signal: invocation.signal,
  });
  if (!sent.ok) return redactOutcome(toolError(`${sent.detail}.`, sent), secrets.used);
  const outcome = await readResponse(sent.response, ready.method);
  return redactOutcome(definition.resultComesLater === true ? receiptOf(outcome) : outcome, secrets.used);
}

/** Where the real result belongs: the parts of `POST /v1/runs/{run}/steps/{step}/calls/{n}/result`. */
function addReturnAddress(headers: Map<string, string>, { position, toolCallId }: ToolInvocation): void {
  headers.set('weir-run-id', position.runId);
  headers.set('weir-step-id', position.stepId);
  if (position.item !== null) headers.set('weir-item', String(position.item));
  headers.set('weir-call', String(position.callNo));
  headers.set('weir-tool-call-id', encodeURIComponent(toolCallId ?? ''));
}

/** An answer without an error says that the work has begun. */
function receiptOf(outcome: ToolOutcome): ToolOutcome {
  if (outcome.status !== 'ok') return outcome;
  const { content } = outcome;
  return { status: 'pending', content: typeof content === 'string' ? content : 'The result comes later.' };
}

/** A key that is missing is an error in expressions, so optional arguments that were left out are null. */
function variablesOf({ tool, args, variables }: ToolInvocation, secrets: JsonObject): ExpressionVariables {
  const properties = declaredNames(tool);
  return { ...variables, args: { ...Object.fromEntries(properties.map((name) => [name, null])), ...args }, secrets };
}

function declaredNames(tool: ResolvedTool): string[] {
  const { properties } = tool.declaration.parameters;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}
