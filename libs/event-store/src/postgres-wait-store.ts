import type { Json } from '#libs/domain';
import type { StepRunRecord, WaitStore } from '#libs/engine';
import { Gathering } from './append/gathering.js';
import type { Database } from './connect.js';
import { findApproval, findApprovalsOfStep } from './operations/approvals.js';
import { findEndedChildWaits, findOpenChildren, findOrphanedRuns } from './operations/child-runs.js';
import { findNextOfConcurrency } from './operations/concurrency.js';
import { findStepRunsAtPlaces, type PlaceQuestion } from './operations/find-step-run.js';
import { findParkedSteps, findRunStanding, findStepsWaitingFor } from './operations/run-standing.js';
import { findSignalledWaits } from './operations/signals.js';
import { findItemValues, type ItemQuestion } from './operations/step-items.js';

/** What is read of waits and loops outside a transaction: one statement each. */
export function postgresWaitStore(db: Database): WaitStore {
  // Items of a loop that begin at the same time ask for the same steps around it, and for their elements.
  const places = new Gathering<PlaceQuestion, StepRunRecord[]>((questions) =>
    db.run((sql) => findStepRunsAtPlaces(sql, questions)),
  );
  const values = new Gathering<ItemQuestion, { value: Json } | null>((questions) =>
    db.run((sql) => findItemValues(sql, questions)),
  );
  return {
    stepRunsAt: (projectId, runId, at) => places.ask({ projectId, runId, at }),
    itemValue: (loop, item) => values.ask({ loop, item }),
    standing: (projectId, runId) => db.run((sql) => findRunStanding(sql, projectId, runId)),
    getApproval: (projectId, approvalId) => db.run((sql) => findApproval(sql, projectId, approvalId)),
    approvalsOfStep: (projectId, stepRunId) => db.run((sql) => findApprovalsOfStep(sql, projectId, stepRunId)),
    stepsWaitingFor: (projectId, runId, reason) => db.run((sql) => findStepsWaitingFor(sql, projectId, runId, reason)),
    nextOfConcurrency: (at) => db.run((sql) => findNextOfConcurrency(sql, at)),
    openChildren: (stepRunIds) => db.run((sql) => findOpenChildren(sql, stepRunIds)),
    findSignalledWaits: (limit) => db.run((sql) => findSignalledWaits(sql, limit)),
    findEndedChildWaits: (limit) => db.run((sql) => findEndedChildWaits(sql, limit)),
    findParkedSteps: (limit) => db.run((sql) => findParkedSteps(sql, limit)),
    findOrphanedRuns: (limit) => db.run((sql) => findOrphanedRuns(sql, limit)),
  };
}
