import type { NewEvent } from '#libs/domain';
import type { RunTransaction } from '#libs/engine';
import { appendUnits } from './append/append-units.js';
import { recordUnits } from './append/record-units.js';
import { storedBy } from './append/stored-by.js';
import { findStepRunsOfRun, lockStepRun } from './operations/find-step-run.js';
import { lockRun } from './operations/find-run.js';
import { findClaimed } from './operations/claim-steps.js';
import { claimIdempotencyKey, storeIdempotentAnswer } from './operations/idempotency-keys.js';
import { findStreamHolder } from './operations/find-stream-holder.js';
import { insertRun } from './operations/insert-run.js';
import { insertStepRuns } from './operations/insert-step-runs.js';
import { lockStreams } from './operations/lock-streams.js';
import { acquireStream, releaseStream } from './operations/stream-line.js';
import { updateRun } from './operations/update-run.js';
import { updateStepRun } from './operations/update-step-run.js';
import { addWait, findWaiters, findWaitsOf, removeWaits } from './operations/waits.js';
import { findOpenCompaction, lockCompaction } from './operations/find-compaction.js';
import { insertCompaction } from './operations/insert-compaction.js';
import { readDigests } from './operations/read-digests.js';
import { readEvents } from './operations/read-events.js';
import { readNow } from './operations/read-now.js';
import { updateCompaction } from './operations/update-compaction.js';
import type { Session } from './session.js';
import { triggerTransaction } from './trigger-transaction.js';
import { waitTransaction } from './wait-transaction.js';

/**
 * The operations of a transaction. `open` returns its session, or throws once the transaction is over. `recorded`: what it has
 * stored before.
 */
export function runTransaction(open: () => Session, recorded: NewEvent[] = []): RunTransaction {
  return {
    ...recording(open, recorded),
    now: () => readNow(open()),
    lockRun: (projectId, runId) => lockRun(open(), projectId, runId),
    lockStepRun: (projectId, stepRunId) => lockStepRun(open(), projectId, stepRunId),
    stepRuns: (projectId, runId) => findStepRunsOfRun(open(), projectId, runId),
    lockStreams: (projectId, streamIds) => lockStreams(open(), projectId, streamIds),
    read: (query) => readEvents(open(), query),
    digests: (query) => readDigests(open(), query),
    insertRun: (run) => insertRun(open(), run),
    updateRun: (projectId, runId, patch) => updateRun(open(), projectId, runId, patch),
    insertStepRuns: (projectId, steps) =>
      insertStepRuns(
        open(),
        steps.map((step) => ({ ...step, projectId })),
      ),
    updateStepRun: (projectId, stepRunId, patch) => updateStepRun(open(), projectId, stepRunId, patch),
    claimedStep: (projectId, stepRunId) => findClaimed(open(), projectId, stepRunId),
    insertCompaction: (compaction) => insertCompaction(open(), compaction),
    openCompaction: (projectId, streamId, viewRunId) => findOpenCompaction(open(), projectId, streamId, viewRunId),
    lockCompaction: (projectId, compactionId) => lockCompaction(open(), projectId, compactionId),
    updateCompaction: (projectId, compactionId, patch) => updateCompaction(open(), projectId, compactionId, patch),
    acquireStream: (run) => acquireStream(open(), run),
    releaseStream: (run) => releaseStream(open(), run),
    streamHolder: (projectId, streamId) => findStreamHolder(open(), projectId, streamId),
    addWait: (projectId, stepRunId, wait) => addWait(open(), projectId, stepRunId, wait),
    removeWaits: (projectId, stepRunId) => removeWaits(open(), projectId, stepRunId),
    waitsOf: (projectId, stepRunId) => findWaitsOf(open(), projectId, stepRunId),
    waiters: (projectId, kind, key) => findWaiters(open(), projectId, kind, key),
    claimIdempotencyKey: (key) => claimIdempotencyKey(open(), key),
    storeIdempotentAnswer: (key, httpStatus, body) => storeIdempotentAnswer(open(), key, httpStatus, body),
    ...waitTransaction(open),
    ...triggerTransaction(open),
  };
}

function recording(open: () => Session, recorded: NewEvent[]): Pick<RunTransaction, 'recorded' | 'append' | 'record'> {
  return {
    recorded,
    append: async (units) => {
      const results = await appendUnits(open(), units);
      recorded.push(...storedBy(units, results));
      return results;
    },
    record: async (units) => {
      await recordUnits(open(), units);
      for (const { events } of units) recorded.push(...events);
    },
  };
}
