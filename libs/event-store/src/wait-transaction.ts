import type { WaitTransaction } from '#libs/engine';
import {
  cancelApprovals,
  findApprovalsOfStep,
  insertApproval,
  lockApproval,
  storeDecision,
} from './operations/approvals.js';
import { hasConcurrencySlot } from './operations/concurrency.js';
import { findActivity, findOpenStepRuns, findStepRunsAt } from './operations/find-step-run.js';
import { findRunStanding } from './operations/run-standing.js';
import { insertSignal, lockSignal, takeSignal } from './operations/signals.js';
import { isDelayed } from './operations/stream-line.js';
import {
  cancelItems,
  countItems,
  endItem,
  findItems,
  findItemValue,
  insertItems,
  reopenItems,
  startItems,
} from './operations/step-items.js';
import type { Session } from './session.js';

/** Loops, approvals, signals and slots of a transaction. */
export function waitTransaction(open: () => Session): WaitTransaction {
  return {
    stepRunsAt: (projectId, runId, at) => findStepRunsAt(open(), projectId, runId, at),
    openStepRuns: (projectId, runId) => findOpenStepRuns(open(), projectId, runId),
    standing: (projectId, runId) => findRunStanding(open(), projectId, runId),
    activity: (projectId, runId) => findActivity(open(), projectId, runId, []),
    itemValue: (loop, item) => findItemValue(open(), loop, item),
    insertItems: (loop, values) => insertItems(open(), loop, values),
    startItems: (loop, count) => startItems(open(), loop, count),
    endItem: (loop, ended) => endItem(open(), loop, ended),
    cancelItems: (loop) => cancelItems(open(), loop),
    reopenItems: (loop, reopened) => reopenItems(open(), loop, reopened),
    countItems: (loop, most) => countItems(open(), loop, most),
    items: (loop) => findItems(open(), loop),
    insertApproval: (approval) => insertApproval(open(), approval),
    lockApproval: (projectId, approvalId) => lockApproval(open(), projectId, approvalId),
    approvalsOfStep: (projectId, stepRunId) => findApprovalsOfStep(open(), projectId, stepRunId),
    storeDecision: (decided) => storeDecision(open(), decided),
    cancelApprovals: (projectId, stepRunId) => cancelApprovals(open(), projectId, stepRunId),
    lockSignal: (projectId, waitKey) => lockSignal(open(), projectId, waitKey),
    insertSignal: (signal) => insertSignal(open(), signal),
    takeSignal: (projectId, waitKey, stepRunId) => takeSignal(open(), projectId, waitKey, stepRunId),
    hasConcurrencySlot: (run) => hasConcurrencySlot(open(), run),
    isDelayed: ({ runId }) => isDelayed(open(), runId),
  };
}
