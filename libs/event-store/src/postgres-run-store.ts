import type { Claimed, RunStore, StepQueue } from '#libs/engine';
import type { Database } from './connect.js';
import { Gathering } from './append/gathering.js';
import { retryContention } from './append/retry-contention.js';
import { RecalledSteps } from './flight/recalled-steps.js';
import { runFlights } from './flight/run-flights.js';
import type { LeaseClaim } from './operations/claim-lease.js';
import { claimSteps } from './operations/claim-steps.js';
import { findDispatched, redispatch, redispatchAll, takeThese, undispatch } from './operations/dispatch.js';
import { findCancelRequested } from './operations/find-cancel-requested.js';
import { findDueRuns, findDueSteps, findDueWaits, findStuckRuns } from './operations/find-due.js';
import { findExpiredLeases } from './operations/find-expired-leases.js';
import { findRun } from './operations/find-run.js';
import { findStepRun, findStepRunsOfRun } from './operations/find-step-run.js';
import { findConcurrencyHolders } from './operations/concurrency.js';
import { findStreamHolder } from './operations/find-stream-holder.js';
import { installationFact } from './operations/installation-fact.js';
import { LEASED_STEPS, type Dispatch, type Runnable } from './operations/leased-table.js';
import { readJournalSize } from './operations/read-journal-size.js';
import { readLastPosition } from './operations/read-last-position.js';
import { readNow } from './operations/read-now.js';
import { renewLeases } from './operations/renew-leases.js';
import { findNextOnStreams, findStartableRuns, type StreamKey } from './operations/stream-line.js';
import { sumRunUsage } from './operations/sum-run-usage.js';
import { takeInTurn, Turns } from './operations/take-in-turn.js';
import { postgresTriggerStore } from './postgres-trigger-store.js';
import { postgresWaitStore } from './postgres-wait-store.js';
import { transact } from './transact.js';

type StepDispatch = { stepRunId: string; dispatchNo: number };
type StepJob = Parameters<StepQueue['push']>[0][number];

/** Runs, steps and their dispatch on Postgres. Each method is one statement, `transact` one transaction. */
export function postgresRunStore(db: Database): RunStore {
  const recalled = new RecalledSteps();
  return {
    transact: (work) => transact(db, work),
    transactRun: runFlights(db, recalled),
    recallStep: (stepRunId) => Promise.resolve(recalled.take(stepRunId)),
    ...claims(db),
    ...dispatches(db),
    ...postgresWaitStore(db),
    ...postgresTriggerStore(db),
    findExpiredLeases: (limit) => db.run((sql) => findExpiredLeases(sql, limit)),
    findDueWaits: (limit) => db.run((sql) => findDueWaits(sql, limit)),
    findDueRuns: (limit) => db.run((sql) => findDueRuns(sql, limit)),
    findDueSteps: (limit) => db.run((sql) => findDueSteps(sql, limit)),
    findStartableRuns: (limit) => db.run((sql) => findStartableRuns(sql, limit)),
    findStuckRuns: (limit) => db.run((sql) => findStuckRuns(sql, limit)),
    nextOnStream: nextOnStream(db),
    lastPositionOfStep: (step) => db.run((sql) => readLastPosition(sql, step)),
    journalSizeOfStep: (step) => db.run((sql) => readJournalSize(sql, step)),
    streamHolder: (projectId, streamId) => db.run((sql) => findStreamHolder(sql, projectId, streamId)),
    concurrencyHolders: (run, limit) => db.run((sql) => findConcurrencyHolders(sql, run, limit)),
    getRun: (projectId, runId) => db.run((sql) => findRun(sql, projectId, runId)),
    getStepRun: (stepRunId) => db.run((sql) => findStepRun(sql, stepRunId)),
    stepRunsOf: (projectId, runId) => db.run((sql) => findStepRunsOfRun(sql, projectId, runId)),
    usageOfRun: (projectId, runId) => db.run((sql) => sumRunUsage(sql, projectId, runId)),
    now: () => db.run(readNow),
    installationFact: (name, proposed) => db.run((sql) => installationFact(sql, name, proposed)),
    cancelRequested: (runIds) => db.run((sql) => findCancelRequested(sql, runIds)),
  };
}

/** Asked after each run that ended: for many of them at once. */
function nextOnStream(db: Database): RunStore['nextOnStream'] {
  const asking = new Gathering<StreamKey, string | null>((streams) => db.run((sql) => findNextOnStreams(sql, streams)));
  return (projectId, streamId) => asking.ask({ projectId, streamId });
}

function claims(db: Database): Pick<RunStore, 'claimStep' | 'heartbeat'> {
  const claiming = new Gathering<LeaseClaim, Claimed | null>((all) =>
    db.run(() => retryContention(() => claimSteps(db.dedicated.claims, all))),
  );
  return {
    claimStep: ({ stepRunId, ...claim }) => claiming.ask({ id: stepRunId, ...claim }),
    heartbeat: (held, leaseMs, workerBytes) =>
      db.run(async (sql) => {
        const leases = held.map(({ stepRunId, fence }) => ({ id: stepRunId, fence }));
        const renewed = await renewLeases(sql, LEASED_STEPS, leases, leaseMs, workerBytes);
        const runIds = new Set(renewed.flatMap(({ runId }) => (runId === null ? [] : [runId])));
        const cancelled = new Set(await findCancelRequested(sql, [...runIds]));
        return new Map(
          renewed.map(({ id, runId }) => [id, { cancelRequested: runId !== null && cancelled.has(runId) }]),
        );
      }),
  };
}

function dispatches(
  db: Database,
): Pick<RunStore, 'takeRunnable' | 'takeThese' | 'undispatch' | 'findDispatched' | 'redispatch' | 'redispatchAll'> {
  const turns = new Turns();
  // Two takers at once would see the same rows first, and one of them would go away with less than there is.
  const takingInTurn = new Gathering<number, StepJob[]>(async (limits) => {
    const limit = limits.reduce((sum, one) => sum + one, 0);
    const jobs = (await db.run((sql) => takeInTurn(sql, turns, limit))).map(stepJob);
    return limits.map((one) => jobs.splice(0, one));
  });
  const takingThese = new Gathering<readonly string[], StepJob[]>(async (asked) => {
    const jobs = (await db.run((sql) => takeThese(sql, LEASED_STEPS, [...new Set(asked.flat())]))).map(stepJob);
    const byId = new Map(jobs.map((job) => [job.stepRunId, job]));
    return asked.map((ids) =>
      ids.flatMap((id) => {
        const job = byId.get(id);
        byId.delete(id);
        return job ?? [];
      }),
    );
  });
  return {
    takeRunnable: (limit) => takingInTurn.ask(limit),
    takeThese: (stepRunIds) => takingThese.ask(stepRunIds),
    undispatch: (jobs) => db.run((sql) => undispatch(sql, LEASED_STEPS, jobs.map(dispatch))),
    findDispatched: async (olderThanMs, limit) =>
      (await db.run((sql) => findDispatched(sql, LEASED_STEPS, olderThanMs, limit))).map(({ id, dispatchNo }) => ({
        stepRunId: id,
        dispatchNo,
      })),
    redispatch: (jobs) => db.run((sql) => redispatch(sql, LEASED_STEPS, jobs.map(dispatch))),
    redispatchAll: () => db.run((sql) => redispatchAll(sql, LEASED_STEPS)),
  };
}

const stepJob = ({ id, dispatchNo, priority }: Runnable): StepJob => ({ stepRunId: id, dispatchNo, priority });
const dispatch = ({ stepRunId, dispatchNo }: StepDispatch): Dispatch => ({ id: stepRunId, dispatchNo });
