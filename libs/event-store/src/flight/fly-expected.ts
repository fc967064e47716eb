import type { Claimed, RunWork } from '#libs/engine';
import type { Database } from '../connect.js';
import { writeExpected } from '../operations/write-run-changes.js';
import type { DatabaseClock } from './database-clock.js';
import type { FlyingWork } from './fly-runs.js';
import { memoryTransaction } from './memory-transaction.js';
import type { ExpectedRun } from './run-changes.js';
import type { RecalledSteps } from './recalled-steps.js';
import { RunMemory } from './run-memory.js';

/** `unsure`: nothing was written of this work, it must be done under locks. */
export type Expected = { kind: 'written'; result: unknown } | { kind: 'unsure' };

const UNSURE: Expected = { kind: 'unsure' };

/**
 * One statement for many works, each done by what is seen of its run and written if that still holds: no lock is held while
 * they are done, and nothing is read. Works that ask for more, or whose run has changed, are unsure.
 */
export async function flyExpected(db: Database, known: Known, works: readonly FlyingWork[]): Promise<Expected[]> {
  const runIds = new Set<string>();
  const done = await Promise.all(
    works.map((one) => {
      const { about } = one;
      const isFirst = !runIds.has(about.runId);
      runIds.add(about.runId);
      return isFirst ? performed(one, known.clock) : Promise.resolve(null);
    }),
  );
  const stale = await written(
    db,
    known,
    done.filter((one) => one !== null),
  );
  return done.map((one) =>
    one === null || stale.has(one.memory.runId) ? UNSURE : { kind: 'written', result: one.result },
  );
}

/** What this process knows of the database without asking. */
export type Known = { clock: DatabaseClock; recalled: RecalledSteps };

type Performed = { memory: RunMemory; expected: ExpectedRun | null; result: unknown; isUnderWay: () => void };

/** Null: more must be known for it. */
async function performed({ about, work, underWay }: FlyingWork, clock: DatabaseClock): Promise<Performed | null> {
  const seen = seenRun(about, clock.now());
  if (seen === null) return null;
  try {
    const result = await work(memoryTransaction(seen.memory, noSession));
    return { ...seen, result, isUnderWay: () => underWay(result) };
  } catch (error) {
    if (error instanceof NeedsSession) return null;
    throw error;
  }
}

class NeedsSession extends Error {}

function noSession(): never {
  throw new NeedsSession('more must be known of this run than was seen of it');
}

function seenRun(about: RunWork, now: string | null): Pick<Performed, 'memory' | 'expected'> | null {
  const { projectId, runId, seen } = about;
  if (seen === null || now === null) return null;
  const nothing = { steps: [], others: [], places: [], lockedSteps: [], loops: [], now };
  if (seen === 'no_run') {
    const memory = new RunMemory(projectId, runId, { ...nothing, run: null, isWhole: false });
    return { memory, expected: null };
  }
  const { run, step, steps, versions } = seen;
  if (versions === null || steps === null || othersAreActive(seen)) return null;
  const known = { run, steps: [step], others: steps, isWhole: true, lockedSteps: [step.stepRunId] };
  const memory = new RunMemory(projectId, runId, { ...nothing, ...known });
  const { stepRunId, fence, status, dispatchNo } = step;
  return { memory, expected: { projectId, runId, stepRunId, fence, status, dispatchNo, versions } };
}

/** Steps that run beside this one change the run while it runs. */
const othersAreActive = ({ step, steps }: Claimed): boolean =>
  steps?.some(
    ({ stepRunId, status }) => stepRunId !== step.stepRunId && (status === 'queued' || status === 'running'),
  ) ?? true;

/** Writes them, without those that turn out to be stale; returns the ids of these runs. */
async function written(db: Database, { clock, recalled }: Known, done: readonly Performed[]): Promise<Set<string>> {
  const stale = new Set<string>();
  for (;;) {
    const left = done.filter(({ memory }) => !stale.has(memory.runId));
    if (left.length === 0) return stale;
    const writing = db.within(() =>
      writeExpected(
        db.dedicated.ends,
        left.map(({ memory }) => memory.changes),
        left.flatMap(({ expected }) => expected ?? []),
      ),
    );
    if (stale.size === 0) for (const { isUnderWay } of left) isUnderWay();
    const answer = await writing;
    clock.note(answer.at);
    if (answer.stale === null) {
      for (const one of left) keepFollower(recalled, one, answer.version);
      return stale;
    }
    for (const runId of answer.stale) stale.add(runId);
  }
}

/** The one step that follows and is pushed by this process: its claim would read what is known here. `version`: of all rows written with it. */
function keepFollower(recalled: RecalledSteps, { memory, expected }: Performed, version: number): void {
  const { succeeded, newSteps, run } = memory.changes;
  const follower = memory.follower();
  const [ended] = succeeded;
  if (expected === null || follower === null || succeeded.length !== 1 || ended?.stepRunId !== expected.stepRunId)
    return;
  // Written besides the follower: the step that ended, and new ones.
  const written = newSteps.length;
  const { versions } = expected;
  recalled.keep({
    ...follower,
    versions: {
      run: run === null ? versions.run : version,
      others: versions.others + written,
      othersSum: versions.othersSum + written * version,
    },
  });
}
