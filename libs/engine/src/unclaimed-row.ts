import type { StepRunRecord } from './ports/run-records.port.js';

/** The fence of steps that end without ever having been claimed; those of claims are clocks in microseconds (ADR 0031). */
const UNCLAIMED_FENCE = 1;

/** A queued step as its end will leave it: events are named after its fence and say which start it was. */
export const unclaimedRow = (row: StepRunRecord): StepRunRecord => ({
  ...{ ...row, fence: UNCLAIMED_FENCE, starts: row.starts + 1 },
});
