import { firstObstacle, sentenceOf, type ClockSkew, type Finding } from '#libs/domain';

/** `ok`: jobs are safe there now. `clock`, `epoch`: null when there is none or it could not be asked. */
export type QueueHealth = {
  readonly ok: boolean;
  readonly detail: string;
  readonly findings: readonly Finding[];
  readonly clock: ClockSkew | null;
  /** What the queue's data are marked with; gone with them. */
  readonly epoch: string | null;
  /** Of all clients of the server; null: not known. */
  readonly connections: number | null;
};

export function queueHealth(
  findings: readonly Finding[],
  known: Pick<QueueHealth, 'clock' | 'epoch' | 'connections'> = { clock: null, epoch: null, connections: null },
): QueueHealth {
  const obstacle = firstObstacle(findings);
  const detail = obstacle === null ? findings.map(({ found }) => found).join('; ') : sentenceOf(obstacle);
  return { ok: obstacle === null, detail, findings, ...known };
}
