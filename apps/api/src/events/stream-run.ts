import { isEndedRun, type RunStatus } from '#libs/domain';
import type { EngineDeps } from '#libs/engine';
import {
  findRunStatus,
  hasRunEventsAfter,
  parseFeedCursor,
  readRunEvents,
  type FeedCursor,
  type ReadDatabase,
} from '#libs/event-store';
import { toRun } from '../runs/run-wire.js';
import { loadRun } from '../runs/load-run.js';
import { announceListener } from './announce-listener.js';
import { toEvent } from './event-wire.js';
import type { ProgressHub } from './progress-hub.js';
import type { SseConnection } from './sse-connection.js';
import { Wake } from './wake.js';
import type { StreamEnd } from '../health/metrics.js';

const POLL_MS = 1000;
const BATCH = 200;

export type StreamedRun = {
  readonly projectId: string;
  readonly runId: string;
  readonly after: FeedCursor | null;
  readonly showsContent: boolean;
};

export type StreamSource = {
  readonly engine: Pick<EngineDeps, 'runs' | 'wakeups'>;
  readonly db: ReadDatabase;
  readonly hub: ProgressHub;
  /** Aborts when this process shuts down: the client goes on at another one. */
  readonly shutdown: AbortSignal;
};

/**
 * Sends a run's snapshot, its events after a place, deltas as they come, and `end` once the run has ended and all of its
 * events were sent. Always read from Postgres: wake-ups only make it look at once.
 */
export async function streamRun(source: StreamSource, run: StreamedRun, connection: SseConnection): Promise<StreamEnd> {
  const wake = new Wake();
  const stopListening = source.hub.listen(run.runId, {
    onProgress: () => wake.ring(),
    onDelta: (delta) => {
      if (!run.showsContent) return;
      const { stepId, item, callNo, text } = delta;
      connection.sendIfKeepingUp({
        event: 'delta',
        data: { run_id: run.runId, step_id: stepId, item, call: callNo, text },
      });
    },
  });
  const stopKeepAlive = connection.keepAlive();
  let stopAnnouncing = (): void => undefined;
  const stop = AbortSignal.any([connection.closed, source.shutdown]);
  try {
    const described = await loadRun(source.engine, run.projectId, run.runId);
    if (run.showsContent) stopAnnouncing = announceListener(source.engine.wakeups, described.run);
    connection.send({ event: 'snapshot', data: toRun(described, run.showsContent) });
    return await follow(source, run, connection, wake, stop);
  } finally {
    stopKeepAlive();
    stopAnnouncing();
    stopListening();
    if (!connection.closed.aborted) connection.cut();
  }
}

async function follow(
  source: StreamSource,
  run: StreamedRun,
  connection: SseConnection,
  wake: Wake,
  stop: AbortSignal,
): Promise<StreamEnd> {
  let after = run.after;
  while (!stop.aborted) {
    // Asked before the events are read: an end that is seen here has its events committed.
    const status = await findRunStatus(source.db, run.projectId, run.runId);
    const events = await readRunEvents(source.db, { ...run, after, limit: BATCH });
    for (const event of events) {
      if (!connection.send({ event: 'event', id: event.cursor, data: toEvent(event, run.showsContent) })) {
        connection.drop({ event: 'lagged', data: { after: cursorText(after) } });
        return 'lagged';
      }
      after = parseFeedCursor(event.cursor);
    }
    if (events.length === BATCH) continue;
    if (hasEnded(status) && !(await hasRunEventsAfter(source.db, { ...run, after }))) {
      connection.end({ event: 'end', data: { run_id: run.runId, status, cursor: cursorText(after) } });
      return 'ended';
    }
    await wake.wait(POLL_MS, stop);
  }
  return connection.closed.aborted ? 'gone' : 'shutdown';
}

function hasEnded(status: RunStatus | null): boolean {
  return status !== null && isEndedRun(status);
}

function cursorText(cursor: FeedCursor | null): string | null {
  return cursor === null ? null : `${cursor.xact}-${cursor.position}`;
}
