import { setTimeout as delay } from 'node:timers/promises';
import { AppError, sentenceOf, type Finding } from '#libs/domain';

export type Waiting = {
  /** What `weir doctor` would find. */
  readonly look: () => Promise<readonly Finding[]>;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly withinMs?: number;
  readonly everyMs?: number;
  readonly sayEveryMs?: number;
};

/**
 * Waits for the servers before anything is started on them: a database and a Redis may come up beside Weir. Says at once
 * what is missing, and again now and then.
 * @throws AppError `service_unreachable` after a minute, or at once where waiting does not help.
 */
export async function awaitServices(waiting: Waiting): Promise<void> {
  const { withinMs = 60_000, everyMs = 500, sayEveryMs = 5000 } = waiting;
  const startedAt = performance.now();
  let said: { detail: string; at: number } | null = null;
  for (;;) {
    const obstacle = obstacleIn(await waiting.look());
    waiting.signal.throwIfAborted();
    if (obstacle === null) return;
    const detail = sentenceOf(obstacle);
    const waitedMs = performance.now() - startedAt;
    if (obstacle.isFinal === true) throw new AppError('service_unreachable', detail, { check: obstacle.id });
    if (waitedMs >= withinMs) throw unreachable(obstacle, detail, waitedMs);
    if (said === null || said.detail !== detail || performance.now() - said.at >= sayEveryMs) {
      said = { detail, at: performance.now() };
      waiting.say(`Waiting (${Math.round(waitedMs / 1000)} of ${Math.round(withinMs / 1000)} s): ${detail}`);
    }
    await delay(Math.min(everyMs, withinMs), undefined, { signal: waiting.signal });
  }
}

/** The schema comes with the start itself. */
function obstacleIn(findings: readonly Finding[]): Finding | null {
  const obstacles = findings.filter(({ id, status, isNeeded }) => status === 'fail' && isNeeded && id !== 'schema');
  return obstacles[0] ?? findings.find(({ id, isFinal }) => id === 'schema' && isFinal === true) ?? null;
}

function unreachable({ id }: Finding, detail: string, waitedMs: number): AppError {
  const text = `After ${Math.round(waitedMs / 1000)} s still: ${detail}`;
  return new AppError('service_unreachable', text, { check: id });
}
