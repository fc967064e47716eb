import { findExecutable } from './find-executable.js';

export type PostgresChoice = { readonly kind: 'given'; readonly url: string } | { readonly kind: 'embedded' };

export type QueueChoice =
  | { readonly kind: 'given'; readonly url: string }
  | { readonly kind: 'private'; readonly binary: string }
  /** BullMQ's Postgres backend, on the same database: for development and smoke tests. `reason` says why. */
  | { readonly kind: 'postgres'; readonly reason: string };

export type BackendChoice = { readonly postgres: PostgresChoice; readonly queue: QueueChoice };

/** The server that carries the queue on a machine that has one; valkey before redis. */
export function findRedisServer(searchPath: string | undefined): string | null {
  return findExecutable(['valkey-server', 'redis-server'], searchPath);
}

/**
 * Postgres: `DATABASE_URL`, else embedded. Queue: `REDIS_URL`, else a server on PATH, else Postgres.
 * `embedded` uses nothing that the machine offers, addresses in the environment included.
 */
export function chooseBackends(machine: {
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  readonly redisServer: string | null;
  readonly embedded: boolean;
}): BackendChoice {
  if (machine.embedded) {
    return { postgres: { kind: 'embedded' }, queue: { kind: 'postgres', reason: 'asked for with --embedded' } };
  }
  return {
    postgres: machine.databaseUrl === null ? { kind: 'embedded' } : { kind: 'given', url: machine.databaseUrl },
    queue: chooseQueue(machine.redisUrl, machine.redisServer),
  };
}

function chooseQueue(redisUrl: string | null, redisServer: string | null): QueueChoice {
  if (redisUrl !== null) return { kind: 'given', url: redisUrl };
  if (redisServer !== null) return { kind: 'private', binary: redisServer };
  return { kind: 'postgres', reason: 'no REDIS_URL, and neither valkey-server nor redis-server on PATH' };
}
