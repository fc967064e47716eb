import { firstObstacle, sentenceOf, type Finding } from '#libs/domain';
import { startLoop, type Loop } from '#libs/engine';
import type { Logger, Shutdown } from '#libs/platform';

export type Gate = {
  /** `detail`: why no jobs are taken yet, or not any more. */
  state(): { open: true } | { open: false; detail: string };
  close(detail: string): void;
};

export type GateOptions = {
  /** What stands around the process now. */
  lookAround: () => Promise<readonly Finding[]>;
  shutdown: Shutdown;
  logger: Logger;
  /** The first time that all is well. */
  onOpen: () => void;
};

const LOOK_EVERY_MS = 1000;
/** While the reason stays the same. */
const SAY_EVERY_MS = 30_000;

/**
 * Lets a process take jobs once its servers are there and safe: the database answers and is migrated, all processes use
 * one queue backend, Redis does not evict keys (row C1). Until then it looks again each second, and `/health/ready` and
 * the log say why it waits. What never mends itself ends the process; what only hurts later is logged once.
 */
export function openGate({ lookAround, shutdown, logger, onOpen }: GateOptions): Gate {
  let state: ReturnType<Gate['state']> = { open: false, detail: 'starting' };
  const tell = reporter(logger);
  const look = async (signal: AbortSignal): Promise<void> => {
    const findings = await lookAround();
    if (signal.aborted) return;
    const obstacle = firstObstacle(findings);
    if (obstacle === null) {
      tellWhatHurts(findings, logger);
      state = { open: true };
      onOpen();
      return;
    }
    const detail = sentenceOf(obstacle);
    state = { open: false, detail };
    if (obstacle.isFinal === true) {
      logger.fatal({ check: obstacle.id }, detail);
      void shutdown.begin(obstacle.id, 1).then(({ exitCode }) => process.exit(exitCode));
    } else tell(detail);
  };
  const loop: Loop = startLoop(
    {
      name: 'gate',
      everyMs: LOOK_EVERY_MS,
      turn: async (signal) => {
        if (!state.open) await look(signal);
        if (state.open) void loop.stop(0);
        return false;
      },
    },
    logger,
  );
  return {
    state: () => state,
    close: (detail) => {
      state = { open: false, detail };
      void loop.stop(0);
    },
  };
}

function tellWhatHurts(findings: readonly Finding[], logger: Logger): void {
  for (const finding of findings.filter(({ status }) => status !== 'ok'))
    logger.warn({ check: finding.id, status: finding.status }, sentenceOf(finding));
}

/** Each reason at once; while it stays the same a line now and then, so that a log's end says what is missing. */
function reporter(logger: Logger, now: () => number = () => performance.now()): (detail: string) => void {
  const startedAt = now();
  let last: { detail: string; at: number } | null = null;
  return (detail) => {
    if (last !== null && last.detail === detail && now() - last.at < SAY_EVERY_MS) return;
    last = { detail, at: now() };
    logger.warn({ detail, waited_s: Math.round((now() - startedAt) / 1000) }, 'no jobs are taken yet');
  };
}
