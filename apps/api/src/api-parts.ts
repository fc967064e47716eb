import type { EngineDeps } from '#libs/engine';
import type { Database } from '#libs/event-store';
import type { Logger } from '#libs/platform';

export type Readiness = { readonly ok: boolean; readonly detail: string };
export type ReadinessCheck = { readonly name: string; /** Never throws. */ readonly check: () => Promise<Readiness> };

/** What the API is made of. It starts no steps and calls no model: of the engine it uses what accepts and reads. */
export type ApiParts = {
  readonly engine: EngineDeps;
  readonly database: Database;
  /** `redis` or `postgres`. */
  readonly queueBackend: string;
  readonly readiness: readonly ReadinessCheck[];
  readonly logger: Logger;
  readonly version: string;
  /** Aborts when the process shuts down: event streams and waits end then. */
  readonly shutdown: AbortSignal;
  /** Comment on idle event streams, in milliseconds. */
  readonly keepAliveMs?: number;
};

export const API_PARTS = Symbol('ApiParts');
