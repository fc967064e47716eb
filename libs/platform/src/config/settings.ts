import type { TracingSettings } from '../telemetry/tracing.js';
import { ConfigurationError } from './configuration-error.js';
import type { Environment } from './environment.js';
import { parseOperatorFile, type ModelOverride, type OperatorFile, type SecretValue } from './operator-file.js';

export type QueueBackend = 'redis' | 'postgres';

export type RateLimits = {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
};

export type ConnectionSettings = {
  readonly name: string;
  readonly provider: 'openai' | 'anthropic' | 'google' | 'bedrock';
  readonly baseUrl: string | null;
  /** Null when the variable that should hold it is not set: an error names `apiKeySource` when a call needs it. */
  readonly apiKey: string | null;
  readonly apiKeySource: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivateAddresses: boolean;
  readonly limits: RateLimits;
};

export type SecretSettings = {
  readonly name: string;
  readonly value: string | null;
  readonly source: string;
  readonly hosts: readonly string[];
};

export type McpServerSettings = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the server: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | null;
};

export type Settings = {
  readonly database: { readonly url: string | null; readonly poolSize: number; readonly prepare: boolean };
  readonly queue: {
    readonly backend: QueueBackend | null;
    readonly redisUrl: string | null;
    readonly prefix: string;
    /** Take work although Redis may evict keys. */
    readonly allowEviction: boolean;
    /** What counts as a minute for requests and tokens a minute. */
    readonly limitMinuteMs: number;
  };
  readonly server: { readonly host: string; readonly port: number | null; readonly healthPort: number | null };
  readonly steps: {
    readonly leaseMs: number;
    readonly heartbeatMs: number;
    readonly sweepMs: number;
    readonly relayMs: number;
    /** Without progress for so long a process says that it is not live. */
    readonly stallMs: number;
    /** How long a job may go on with the next steps of its run; 0: each step is a job. */
    readonly goOnMs: number;
  };
  readonly worker: { readonly id: string | null; readonly concurrency: number; readonly compactorConcurrency: number };
  readonly drainMs: number;
  readonly dataDir: string;
  /** Where `scripted:<name>` models find their scripts, for tests; null: nowhere. */
  readonly scriptsDir: string | null;
  readonly logLevel: string;
  /** Ended runs of streams that are over are erased after this; null: never. */
  readonly retentionMs: number | null;
  readonly telemetry: TracingSettings;
  readonly client: { readonly url: string | null; readonly apiKey: string | null };
  readonly connections: ReadonlyMap<string, ConnectionSettings>;
  readonly secrets: ReadonlyMap<string, SecretSettings>;
  readonly mcpServers: ReadonlyMap<string, McpServerSettings>;
  readonly http: { readonly allowedHosts: readonly string[]; readonly httpRequestHosts: readonly string[] };
  readonly plugins: readonly string[];
  /** By `connection:model`, as written in `weir.yml`; wins over the catalogue. */
  readonly models: Readonly<Record<string, ModelOverride>>;
  /** `runtime.context` of `weir.yml`, unchecked: the context library owns its schema. Null when absent. */
  readonly runtimeContext: Readonly<Record<string, unknown>> | null;
};

type Variables = Readonly<Record<string, string | undefined>>;

const builtInConnections: OperatorFile['connections'] = parseOperatorFile(
  `connections:
  openai: { provider: openai, api_key: { env: OPENAI_API_KEY } }
  anthropic: { provider: anthropic, api_key: { env: ANTHROPIC_API_KEY } }`,
  'the built-in connections',
).connections;

/**
 * Second of the two pure steps: checked values → settings, defaults filled in, durations in milliseconds.
 * `variables` is only asked for the names that `weir.yml` mentions under `env`.
 * @throws ConfigurationError when settings contradict each other.
 */
export function resolveSettings(environment: Environment, file: OperatorFile, variables: Variables): Settings {
  const steps = stepTimes(environment);
  return {
    database: {
      url: environment.DATABASE_URL ?? null,
      poolSize: environment.WEIR_POOL_SIZE ?? 10,
      prepare: environment.WEIR_PREPARE ?? true,
    },
    queue: queueSettings(environment),
    server: {
      host: environment.WEIR_HOST ?? '127.0.0.1',
      port: environment.WEIR_PORT ?? null,
      healthPort: environment.WEIR_HEALTH_PORT ?? null,
    },
    steps,
    worker: {
      id: environment.WEIR_WORKER_ID ?? null,
      concurrency: environment.WEIR_WORKER_CONCURRENCY ?? 20,
      compactorConcurrency: environment.WEIR_COMPACTOR_CONCURRENCY ?? 2,
    },
    drainMs: (environment.WEIR_DRAIN_S ?? 25) * 1000,
    dataDir: environment.WEIR_DATA_DIR ?? '.weir',
    scriptsDir: environment.WEIR_SCRIPTS_DIR ?? null,
    logLevel: environment.WEIR_LOG_LEVEL ?? 'info',
    retentionMs: environment.WEIR_RETENTION_DAYS === undefined ? null : environment.WEIR_RETENTION_DAYS * 86_400_000,
    telemetry: {
      endpoint: environment.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
      captureContent: environment.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT ?? false,
    },
    client: { url: environment.WEIR_URL ?? null, apiKey: environment.WEIR_API_KEY ?? null },
    ...operatorSettings(file, variables),
  };
}

function stepTimes(environment: Environment): Settings['steps'] {
  const leaseMs = (environment.WEIR_LEASE_S ?? 45) * 1000;
  const heartbeatMs = (environment.WEIR_HEARTBEAT_S ?? Math.min(10, leaseMs / 4000)) * 1000;
  const sweepMs = (environment.WEIR_SWEEP_S ?? 5) * 1000;
  if (heartbeatMs * 2 > leaseMs) {
    throw new ConfigurationError('environment', [
      {
        path: 'WEIR_HEARTBEAT_S',
        message: 'expected at most half of WEIR_LEASE_S, so that one late heartbeat loses no lease',
      },
    ]);
  }
  return {
    ...{ leaseMs, heartbeatMs, sweepMs },
    relayMs: (environment.WEIR_RELAY_S ?? 1) * 1000,
    stallMs: (environment.WEIR_STALL_S ?? 120) * 1000,
    goOnMs: (environment.WEIR_GO_ON_S ?? 0) * 1000,
  };
}

function queueSettings(environment: Environment): Settings['queue'] {
  const redisUrl = environment.REDIS_URL ?? null;
  if (environment.WEIR_QUEUE_BACKEND === 'redis' && redisUrl === null) {
    throw new ConfigurationError('environment', [
      { path: 'REDIS_URL', message: 'expected an address, because WEIR_QUEUE_BACKEND is redis' },
    ]);
  }
  return {
    backend: environment.WEIR_QUEUE_BACKEND ?? (redisUrl === null ? null : 'redis'),
    redisUrl,
    prefix: environment.WEIR_QUEUE_PREFIX ?? 'weir',
    allowEviction: environment.WEIR_ALLOW_EVICTION ?? false,
    limitMinuteMs: (environment.WEIR_LIMIT_MINUTE_S ?? 60) * 1000,
  };
}

type OperatorSettings = Pick<
  Settings,
  'connections' | 'secrets' | 'mcpServers' | 'http' | 'plugins' | 'models' | 'runtimeContext'
>;

function operatorSettings(file: OperatorFile, variables: Variables): OperatorSettings {
  const connections = Object.entries({ ...builtInConnections, ...file.connections });
  return {
    connections: new Map(connections.map(([name, given]) => [name, connectionSettings(name, given, variables)])),
    secrets: new Map(
      Object.entries(file.secrets).map(([name, given]) => {
        const { value, source } = secret(given.value, variables);
        return [name, { name, value, source, hosts: given.hosts }];
      }),
    ),
    mcpServers: new Map(
      Object.entries(file.mcp_servers).map(([name, given]) => [name, mcpServerSettings(name, given, variables)]),
    ),
    http: { allowedHosts: file.http.allowed_hosts, httpRequestHosts: file.http.http_request_hosts },
    plugins: file.plugins,
    models: file.models,
    runtimeContext: file.runtime.context ?? null,
  };
}

function connectionSettings(
  name: string,
  given: OperatorFile['connections'][string],
  variables: Variables,
): ConnectionSettings {
  const key =
    given.api_key === undefined
      ? { value: null, source: `connections.${name}.api_key in weir.yml` }
      : secret(given.api_key, variables);
  return {
    name,
    provider: given.provider,
    baseUrl: given.base_url ?? null,
    apiKey: key.value,
    apiKeySource: key.source,
    headers: given.headers,
    allowPrivateAddresses: given.allow_private_addresses,
    limits: {
      requestsPerMinute: given.limits.requests_per_minute ?? null,
      tokensPerMinute: given.limits.tokens_per_minute ?? null,
      concurrentRequests: given.limits.concurrent_requests ?? null,
    },
  };
}

function mcpServerSettings(
  name: string,
  given: OperatorFile['mcp_servers'][string],
  variables: Variables,
): McpServerSettings {
  const env: Record<string, string> = {};
  for (const [key, entry] of Object.entries(given.env)) {
    const { value } = secret(entry, variables);
    if (value !== null) env[key] = value;
  }
  return { name, command: given.command, args: given.args, env, cwd: given.cwd ?? null };
}

function secret(given: SecretValue, variables: Variables): { value: string | null; source: string } {
  if (typeof given === 'string') return { value: given, source: 'weir.yml' };
  const value = variables[given.env];
  return { value: value === undefined || value === '' ? null : value, source: `the environment variable ${given.env}` };
}
