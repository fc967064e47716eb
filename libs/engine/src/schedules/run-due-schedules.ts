import { AppError, decideTick, type TickDecision } from '#libs/domain';
import { cancelRun } from '../cancel-run.js';
import type { EngineDeps } from '../engine-deps.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import type { LockedSchedule, NewTick, ScheduleRecord } from '../ports/trigger-store.port.js';
import { toTime } from './check-schedule.js';
import { parseCron, type CronTimes } from './cron-times.js';
import { startTick } from './start-tick.js';

const BATCH = 200;
/** Of one schedule in one turn: the others are not kept waiting by one that catches up. */
const TICKS_PER_TURN = 20;

type Place = { projectId: string; name: string };

/**
 * Starts what is due. Any number of processes may do so at once: the tick is decided under the schedule's lock, and its
 * run, its row and the schedule's next tick are one transaction. One bad schedule never stops the others.
 */
export async function runDueSchedules(deps: EngineDeps): Promise<{ moved: number; more: boolean }> {
  const due = await deps.runs.findDueSchedules(BATCH);
  let moved = 0;
  for (const place of due) {
    try {
      moved += await moveOn(deps, place);
    } catch (error) {
      deps.logger.error(
        { project_id: place.projectId, schedule: place.name, error: String(error) },
        'a schedule could not be moved on; the others go on, and it is tried again',
      );
    }
  }
  return { moved, more: moved > 0 };
}

async function moveOn(deps: EngineDeps, place: Place): Promise<number> {
  for (let moved = 0; moved < TICKS_PER_TURN; moved += 1) {
    const decided = await deps.runs.transact((tx) => decideLocked(tx, place));
    if (decided === null) return moved;
    if (decided.kind === 'passed') continue;
    if (!(await startDecided(deps, decided))) return moved;
  }
  return TICKS_PER_TURN;
}

type Start = { kind: 'start'; schedule: ScheduleRecord; at: number; nextAt: number | null; cancels: string[] };

/** Null: nothing to do now. `passed`: a tick was passed over, and the schedule moved on. */
async function decideLocked(tx: RunTransaction, place: Place): Promise<Start | { kind: 'passed' } | null> {
  const locked = await tx.lockSchedule(place.projectId, place.name);
  if (locked === null || locked.schedule.nextAt === null || locked.schedule.pausedAt !== null) return null;
  const { schedule, openRuns, now } = locked;
  const facts = { nextAt: Date.parse(locked.schedule.nextAt), now, openRuns: openRuns.length };
  const times = timesOf(schedule);
  const decision = decideTick(schedule, facts, (afterMs) => times.next(afterMs));
  switch (decision.kind) {
    case 'not_due':
    case 'wait':
      return null;
    case 'start': {
      const cancels = decision.cancelsOpenRuns ? openRuns : [];
      return { kind: 'start', schedule, at: decision.at, nextAt: decision.nextAt, cancels };
    }
    case 'skip':
    case 'miss':
      await tx.insertTick(passedOver(schedule, decision));
      await tx.moveSchedule(schedule.projectId, schedule.name, timeOrNull(decision.nextAt));
      return { kind: 'passed' };
  }
}

function passedOver(schedule: ScheduleRecord, decision: TickDecision & { kind: 'skip' | 'miss' }): NewTick {
  const tick = { ...tickOf(schedule, decision.at), runId: null };
  if (decision.kind === 'skip') return { ...tick, outcome: 'skipped', detail: 'a run of the schedule was under way' };
  const detail = `too late (catch_up: ${schedule.catchUp}); the last of them was due at ${toTime(decision.lastAt)}`;
  return { ...tick, outcome: 'missed', ticks: decision.count, detail };
}

/** False: another process was faster, or somebody changed the schedule. */
async function startDecided(deps: EngineDeps, { schedule, at, nextAt, cancels }: Start): Promise<boolean> {
  const { projectId, name } = schedule;
  for (const runId of cancels)
    await cancelRun(deps, { projectId, runId, reason: `the next tick of schedule ${name} came` });
  const claim = (tx: RunTransaction) => claimTick(tx, schedule, at, nextAt);
  const started = await startTick(deps, schedule, at, {
    claim,
    started: (tx, runId) => tx.insertTick({ ...tickOf(schedule, at), outcome: 'started', runId, detail: null }),
  });
  switch (started.status) {
    case 'started':
      return true;
    case 'not_claimed':
      return false;
    case 'refused':
      deps.logger.warn({ project_id: projectId, schedule: name, at: toTime(at) }, `a tick failed: ${started.detail}`);
      return deps.runs.transact(async (tx) => {
        if (!(await claim(tx))) return false;
        const { detail } = started;
        await tx.insertTick({ ...tickOf(schedule, at), outcome: 'failed', runId: null, detail });
        return true;
      });
  }
}

/** Moves the schedule past the tick, if it still stands there and nobody has changed it meanwhile. */
async function claimTick(
  tx: RunTransaction,
  schedule: ScheduleRecord,
  at: number,
  nextAt: number | null,
): Promise<boolean> {
  const locked = await tx.lockSchedule(schedule.projectId, schedule.name);
  if (locked === null || !isStill(locked, schedule, at)) return false;
  await tx.moveSchedule(schedule.projectId, schedule.name, timeOrNull(nextAt));
  return true;
}

function isStill({ schedule }: LockedSchedule, prepared: ScheduleRecord, at: number): boolean {
  if (schedule.revision !== prepared.revision || schedule.pausedAt !== null) return false;
  return schedule.nextAt !== null && Date.parse(schedule.nextAt) === at;
}

function tickOf({ projectId, name }: ScheduleRecord, at: number) {
  return { projectId, name, at: toTime(at), isManual: false, ticks: 1 };
}

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : toTime(ms));

function timesOf({ name, cron, timezone }: ScheduleRecord): CronTimes {
  const parsed = parseCron(cron, timezone);
  if (parsed.ok) return parsed.times;
  throw new AppError(
    'schedule_unreadable',
    `the pattern of schedule ${name} cannot be read any more: ${parsed.detail}`,
  );
}
