import type { ModelLimit } from '#libs/engine';

/** One bucket as it is kept. Times are ms since epoch by the server's clock. */
export type LimitBucket = {
  /** By the second: how many requests were granted in it and how many tokens they take. */
  cells: { [cell: string]: { requests: number; tokens: number } };
  /** By ticket: when it was told to come again. */
  waiting: { [ticket: string]: number };
  /** By reservation: when it counts as ended, whatever happened to it. */
  running: { [id: string]: number };
  closedUntilMs: number;
  /** How long calls take, as a moving mean. */
  callMs: number;
};

/** What one asker wants of a bucket; `cellMs`: how wide its cells are. */
export type BucketAsk = { ticket: string; tokens: number; nowMs: number; cellMs: number };

export const MINUTE_MS = 60_000;
/** A cell is a sixtieth of the minute that is kept: a second, unless a test shortens its minute. */
export const cellMsOf = (minuteMs = MINUTE_MS): number => minuteMs / 60;

/**
 * A minute and the width of one of its cells: in no stretch of a minute are more requests granted than it allows, however
 * they fall into the cells, so that neither fixed nor sliding windows of a provider overflow.
 */
export const PERIOD_CELLS = 61;
/** Who was told to come and is not there after this time has lost its place. */
export const GRACE_MS = 10_000;
/** How long a call is thought to take before one has ended. */
export const FIRST_CALL_MS = 4_000;
/** Between two askers that all wait for the same moment. */
export const SPREAD_MS = 20;
export const SHORTEST_WAIT_MS = 250;

export const emptyBucket = (): LimitBucket => ({
  cells: {},
  waiting: {},
  running: {},
  closedUntilMs: 0,
  callMs: FIRST_CALL_MS,
});

/** Drops what does not count any more. */
export function pruneBucket(bucket: LimitBucket, nowMs: number, cellMs: number): void {
  const current = Math.floor(nowMs / cellMs);
  for (const cell of Object.keys(bucket.cells)) if (Number(cell) <= current - PERIOD_CELLS) delete bucket.cells[cell];
  for (const [ticket, dueMs] of Object.entries(bucket.waiting))
    if (dueMs < nowMs - GRACE_MS) delete bucket.waiting[ticket];
  for (const [id, endMs] of Object.entries(bucket.running)) if (endMs <= nowMs) delete bucket.running[id];
}

/**
 * 0 when the bucket has room now, else in how many ms to come again. Those who were told an earlier time go first: a
 * newcomer does not take the room they were told to come for. The Redis form of the same rules is `reserve-script.ts`.
 */
export function bucketWaitMs(bucket: LimitBucket, limit: ModelLimit, ask: BucketAsk): number {
  const { nowMs, cellMs } = ask;
  const mine = bucket.waiting[ask.ticket] ?? Number.POSITIVE_INFINITY;
  const others = Object.entries(bucket.waiting).filter(([ticket, dueMs]) => ticket !== ask.ticket && dueMs < mine);
  const ahead = others.length;
  if (bucket.closedUntilMs > nowMs) return bucket.closedUntilMs - nowMs + ahead * SPREAD_MS;
  const due = others.filter(([, dueMs]) => dueMs <= nowMs).length;
  const cells = Object.keys(bucket.cells)
    .map(Number)
    .sort((a, b) => a - b);
  const requests = cells.map((cell) => ({ cell, used: bucket.cells[cell]?.requests ?? 0 }));
  const tokens = cells.map((cell) => ({ cell, used: bucket.cells[cell]?.tokens ?? 0 }));
  return Math.max(
    windowWaitMs(requests, limit.requestsPerMinute, { cost: 1, due, ahead, nowMs, cellMs }),
    windowWaitMs(tokens, limit.tokensPerMinute, { cost: ask.tokens, due, ahead, nowMs, cellMs }),
    placeWaitMs(bucket, limit.concurrentRequests, { due, ahead }),
  );
}

type Used = { cell: number; used: number };

function windowWaitMs(
  cells: readonly Used[],
  allowed: number | null,
  ask: { cost: number; due: number; ahead: number; nowMs: number; cellMs: number },
): number {
  if (allowed === null) return 0;
  // What is larger than the whole allowance gets all of it.
  const cost = Math.min(ask.cost, allowed);
  const used = cells.reduce((sum, cell) => sum + cell.used, 0);
  if (used + (ask.due + 1) * cost <= allowed) return 0;
  const needed = Math.max(1, used + (ask.ahead + 1) * cost - allowed);
  const rounds = Math.floor((needed - 1) / allowed);
  const rest = needed - rounds * allowed;
  let freed = 0;
  for (const { cell, used: inCell } of cells) {
    freed += inCell;
    const freeMs = (cell + PERIOD_CELLS + rounds * PERIOD_CELLS) * ask.cellMs;
    if (freed >= rest) return Math.max(SHORTEST_WAIT_MS, Math.ceil(freeMs - ask.nowMs));
  }
  return Math.ceil((1 + rounds * PERIOD_CELLS) * ask.cellMs);
}

/** Nobody knows when a call ends: the mean says about when. */
function placeWaitMs(bucket: LimitBucket, allowed: number | null, ask: { due: number; ahead: number }): number {
  if (allowed === null || Object.keys(bucket.running).length + ask.due + 1 <= allowed) return 0;
  return Math.max(SHORTEST_WAIT_MS, Math.ceil((bucket.callMs * (ask.ahead + 1)) / allowed));
}

/** How far one call moves the mean. */
export const MEAN_SHARE = 0.2;
