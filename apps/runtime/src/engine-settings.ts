import { randomBytes } from 'node:crypto';
import { checkContextPolicy } from '#libs/context';
import { jsonObjectSchema, type JsonObject } from '#libs/domain';
import type { EngineSettings } from '#libs/engine';
import { ConfigurationError, type Settings } from '#libs/platform';

const MAX_PARALLEL_TOOL_CALLS = 8;
/** Providers with long reasoning send nothing for minutes, but send keep-alives. */
const MODEL_IDLE_TIMEOUT_MS = 120_000;
const MODEL_TOTAL_TIMEOUT_MS = 600_000;
const MAX_STALLS = 3;
/** Most steps that need no claim end sooner, and nobody misses a lease for so long. */
const CLAIM_AFTER_MS = 50;

/** `app`: which process this is, as the beginning of its id where the operator gave none. */
export function engineSettings(settings: Settings, app: string): EngineSettings {
  return {
    // Never the same twice: a process that was restarted must not take what its former self holds (row G10).
    workerId: `${settings.worker.id ?? app}-${randomBytes(4).toString('hex')}`,
    leaseMs: settings.steps.leaseMs,
    heartbeatMs: settings.steps.heartbeatMs,
    defaultModel: null,
    serverContext: serverContextOf(settings),
    maxParallelToolCalls: MAX_PARALLEL_TOOL_CALLS,
    modelIdleTimeoutMs: MODEL_IDLE_TIMEOUT_MS,
    modelTotalTimeoutMs: MODEL_TOTAL_TIMEOUT_MS,
    maxStalls: MAX_STALLS,
    goOnMs: settings.steps.goOnMs,
    claimAfterMs: CLAIM_AFTER_MS,
  };
}

/**
 * `runtime.context` of `weir.yml`, null when absent. Checked at the start: with a faulty one every step would fail.
 * @throws ConfigurationError with every fault.
 */
export function serverContextOf({ runtimeContext }: Pick<Settings, 'runtimeContext'>): JsonObject | null {
  if (runtimeContext === null) return null;
  const faults = checkContextPolicy(runtimeContext, 'settings');
  if (faults.length === 0) return jsonObjectSchema.parse(runtimeContext);
  throw new ConfigurationError(
    'weir.yml',
    faults.map(({ path, found, expected }) => ({
      path: ['runtime.context', ...(path === '' ? [] : [path])].join('.'),
      message: `found ${found}, expected ${expected}`,
    })),
  );
}
