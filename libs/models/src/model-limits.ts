import type { ModelLimit } from '#libs/engine';
import type { ConnectionSettings, ModelOverride } from '#libs/platform';
import { parseModelName } from './model-name.js';
import { isBuiltinConnection } from './providers/index.js';

/**
 * The connection's bucket, when it is bounded, then the model's own: always, because a provider's Retry-After closes it.
 * Models that run in this process have none.
 */
export function modelLimits(
  model: string,
  connections: ReadonlyMap<string, ConnectionSettings>,
  overrides: Readonly<Record<string, ModelOverride>>,
): readonly ModelLimit[] {
  const name = parseModelName(model);
  if (name === null || isBuiltinConnection(name.connection)) return [];
  const connection = connections.get(name.connection);
  if (connection === undefined) return [];
  const { limits } = connection;
  const isBounded = Object.values(limits).some((bound) => bound !== null);
  const own = overrides[model]?.limits;
  return [
    ...(isBounded ? [{ key: name.connection, ...limits }] : []),
    {
      key: model,
      requestsPerMinute: own?.requests_per_minute ?? null,
      tokensPerMinute: own?.tokens_per_minute ?? null,
      concurrentRequests: own?.concurrent_requests ?? null,
    },
  ];
}
