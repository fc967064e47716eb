import type { Registry } from 'prom-client';
import type { Logger, Tracing } from '#libs/platform';
import type { ReadinessCheck, Runtime } from '../../runtime/src/index.js';

/** What the API is made of. It starts no steps and calls no model: of the engine it uses what accepts and reads. */
export type ApiParts = Pick<Runtime, 'engine' | 'database'> & {
  /** What the engine's parts of this process count. */
  readonly registry: Registry;
  /** How many connections the queue's server has; null: not known. */
  readonly queueConnections: () => Promise<number | null>;
  readonly tracing: Tracing;
  readonly queueBackend: 'redis' | 'postgres';
  /** What `/health/ready` asks. With `isOptional` a fault is shown and the API stays ready. */
  readonly readiness: readonly (ReadinessCheck & { readonly isOptional?: true })[];
  /** What of this process has stopped, as sentences; for `/health/live`. */
  readonly stalls: () => readonly string[];
  readonly logger: Logger;
  readonly version: string;
  /** Aborts when the process shuts down: event streams and waits end then. */
  readonly shutdown: AbortSignal;
  /** Between comments on idle event streams, in milliseconds; 15 s by default. */
  readonly keepAliveMs?: number;
};

export const API_PARTS = Symbol('ApiParts');
