import type { JsonObject, ToolDefinition } from '#libs/domain';
import type { ToolOutcome, Tools } from '#libs/engine';
import type { SecretSettings } from '#libs/platform';
import { plantedSecret } from '../../../../test/support/planted-secrets.js';
import { celExpressions } from '../../../expressions/src/index.js';
import { createTools } from '../create-tools.js';
import { toolInvocation } from './tool-invocation.js';

export type HttpDefinition = Extract<ToolDefinition, { kind: 'http' }>;

/** With characters that addresses, JSON and base64 write differently. */
export const SECRET = `${plantedSecret('tool')}/9+9="`;
export const secret = (name: string, hosts: string[], value: string | null = SECRET): [string, SecretSettings] => [
  name,
  { name, value, source: 'the environment variable X', hosts },
];

type Operator = { allowed?: string[]; readable?: string[]; secrets?: [string, SecretSettings][] };

/** Names that are not allowed at private addresses resolve to a loopback address, so they are refused. */
export function toolsOf({ allowed = ['127.0.0.1', 'localhost'], readable = [], secrets = [] }: Operator = {}): Tools {
  return createTools({
    expressions: celExpressions(),
    secrets: new Map(secrets),
    http: { allowedHosts: allowed, httpRequestHosts: readable },
    resolveHost: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });
}

export function httpDefinition(given: Partial<HttpDefinition>): HttpDefinition {
  return {
    name: 'tool',
    kind: 'http',
    description: 'A tool.',
    effect: null,
    timeoutMs: null,
    requiresApproval: false,
    primaryArgument: null,
    onUnknownOutcome: 'fail',
    method: 'GET',
    url: 'http://127.0.0.1/',
    query: new Map(),
    headers: new Map(),
    body: null,
    parameters: { type: 'object', properties: { q: {}, id: {}, tags: {}, limit: {} } },
    ...given,
  };
}

type Given = { args?: JsonObject; tools?: Tools; key?: string | null; signal?: AbortSignal; inputs?: JsonObject };

/** Resolves and invokes; a definition that does not resolve gives its detail as an error. */
export async function callHttp(given: Partial<HttpDefinition>, options: Given = {}): Promise<ToolOutcome> {
  const { args = {}, tools = toolsOf(), key = null, signal, inputs = {} } = options;
  const definition = httpDefinition(given);
  const resolution = tools.resolve('tool', definition);
  if (!resolution.ok) return { status: 'error', content: resolution.detail, retryable: false };
  const invocation = toolInvocation(resolution.tool, args, { signal, definition });
  return tools.invoke({ ...invocation, idempotencyKey: key, variables: { inputs, run: { id: 'run_1' } } });
}
