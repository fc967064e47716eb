import { checkQueueBackend, startLoop, type EngineDeps, type Loop } from '#libs/engine';
import { AppError } from '#libs/domain';
import type { Logger, Shutdown } from '#libs/platform';
import type { QueueBackend } from '#libs/queue';

export type Gate = {
  /** `detail`: why no jobs are taken yet, or not any more. */
  state(): { open: true } | { open: false; detail: string };
  close(detail: string): void;
};

export type GateOptions = {
  engine: Pick<EngineDeps, 'runs' | 'logger'>;
  queue: Pick<QueueBackend, 'kind' | 'health'>;
  /** Whether the database has this version's schema; throws when it never will. */
  schema: () => Promise<{ ok: boolean; detail: string }>;
  shutdown: Shutdown;
  logger: Logger;
  /** The first time that all is well. */
  onOpen: () => void;
};

const LOOK_EVERY_MS = 1000;

/** What does not mend itself: the process ends, with the reason. */
const FATAL = new Set(['queue_backend_differs', 'schema_too_new', 'migration_changed']);

/**
 * Lets a process take jobs once its servers are there and safe: the database answers and is migrated, all processes use
 * one queue backend, Redis does not evict keys (row C1). Until then it looks again each second, and `/health/ready` says
 * why it waits. What never mends itself ends the process.
 */
export function openGate({ engine, queue, schema, shutdown, logger, onOpen }: GateOptions): Gate {
  let state: ReturnType<Gate['state']> = { open: false, detail: 'starting' };
  const look = async (signal: AbortSignal): Promise<void> => {
    const detail = await whatIsMissing(engine, queue, schema);
    if (signal.aborted) return;
    if (detail === null) {
      state = { open: true };
      onOpen();
    } else {
      if (!state.open && state.detail !== detail) logger.warn({ detail }, 'no jobs are taken yet');
      state = { open: false, detail };
    }
  };
  const loop: Loop = startLoop(
    {
      name: 'gate',
      everyMs: LOOK_EVERY_MS,
      turn: async (signal) => {
        if (state.open || signal.aborted) return false;
        try {
          await look(signal);
        } catch (error) {
          if (!(error instanceof AppError) || !FATAL.has(error.code)) throw error;
          logger.fatal({ code: error.code }, error.message);
          void shutdown.begin(error.code, 1).then(({ exitCode }) => process.exit(exitCode));
        }
        if (state.open) void loop.stop(0);
        return false;
      },
    },
    engine.logger,
  );
  return {
    state: () => state,
    close: (detail) => {
      state = { open: false, detail };
      void loop.stop(0);
    },
  };
}

async function whatIsMissing(
  engine: GateOptions['engine'],
  queue: GateOptions['queue'],
  schema: GateOptions['schema'],
): Promise<string | null> {
  const standing = await schema();
  if (!standing.ok) return standing.detail;
  await checkQueueBackend(engine.runs, queue.kind);
  const health = await queue.health();
  return health.ok ? null : health.detail;
}
