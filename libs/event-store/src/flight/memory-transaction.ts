import type { RunTransaction } from '#libs/engine';
import { findActivity } from '../operations/find-step-run.js';
import { writeRunChanges } from '../operations/write-run-changes.js';
import { runTransaction } from '../run-transaction.js';
import type { Session } from '../session.js';
import { noChanges } from './run-changes.js';
import type { RunMemory } from './run-memory.js';

/**
 * A run's part in a flight's transaction: answers from what was read under the locks, gathers what is to be written. The first
 * operation that this does not know writes what was gathered and goes to the database, as all do after it.
 */
export function memoryTransaction(memory: RunMemory, open: () => Session): RunTransaction {
  let direct: Promise<RunTransaction> | null = null;
  const leave = async (): Promise<RunTransaction> => {
    const { changes } = memory;
    memory.changes = noChanges();
    await writeRunChanges(open(), [changes]);
    return runTransaction(open);
  };
  // Once, and whatever is asked for meanwhile comes after what was gathered.
  const leaveMemory = (): Promise<RunTransaction> => (direct ??= leave());
  const known = knownOperations(memory, open, leaveMemory);
  const isKnown = (name: string): name is keyof typeof known => direct === null && Object.hasOwn(known, name);
  const perform = async (name: string, given: unknown[]): Promise<unknown> => {
    const target: object = isKnown(name) ? known : await leaveMemory();
    return (Reflect.get(target, name) as (...given: unknown[]) => unknown)(...given);
  };
  // Those of `known` have the types of the port's.
  return Object.fromEntries(
    OPERATIONS.map((name) => [name, (...given: unknown[]) => perform(name, given)]),
  ) as unknown as RunTransaction;
}

/** Every operation of the port. */
const OPERATIONS: readonly string[] = Object.keys(
  runTransaction(() => {
    throw new Error('there is no session: only the names are asked for');
  }),
);

type Known = Pick<
  RunTransaction,
  | 'lockRun'
  | 'lockStepRun'
  | 'stepRuns'
  | 'stepRunsAt'
  | 'itemValue'
  | 'activity'
  | 'insertRun'
  | 'updateRun'
  | 'insertStepRuns'
  | 'updateStepRun'
  | 'claimedStep'
  | 'record'
  | 'announce'
> &
  KnownOfLoops &
  KnownOfStreams;

function knownOperations(memory: RunMemory, open: () => Session, leaveMemory: () => Promise<RunTransaction>): Known {
  const isOwn = (projectId: string, runId: string): boolean => projectId === memory.projectId && runId === memory.runId;
  const stored = (without: string[]) => findActivity(open(), memory.projectId, memory.runId, without);
  return {
    ...loopOperations(memory, leaveMemory),
    ...streamOperations(memory, leaveMemory),
    lockRun: async (...key) => (isOwn(...key) ? memory.run : (await leaveMemory()).lockRun(...key)),
    lockStepRun: async (...key) => memory.lockedStep(key[1]) ?? (await leaveMemory()).lockStepRun(...key),
    stepRuns: async (...key) => (isOwn(...key) ? memory.allSteps() : null) ?? (await leaveMemory()).stepRuns(...key),
    stepRunsAt: async (projectId, runId, at) =>
      (isOwn(projectId, runId) ? memory.stepsAt(at) : null) ?? (await leaveMemory()).stepRunsAt(projectId, runId, at),
    activity: async (...key) => (isOwn(...key) ? memory.activity(stored) : (await leaveMemory()).activity(...key)),
    insertRun: async (run) => {
      const isSimple = isOwn(run.projectId, run.runId) && memory.run === null && run.delayMs === null;
      if (!isSimple) return (await leaveMemory()).insertRun(run);
      memory.insertRun(run);
    },
    updateRun: async (projectId, runId, patch) => {
      if (!isOwn(projectId, runId) || !memory.updateRun(patch))
        await (await leaveMemory()).updateRun(projectId, runId, patch);
    },
    insertStepRuns: async (projectId, steps) => {
      // The rows of retried steps are there already.
      if (steps.some(({ attempt }) => attempt > 1)) await (await leaveMemory()).insertStepRuns(projectId, steps);
      else memory.insertSteps(steps);
    },
    updateStepRun: async (projectId, stepRunId, patch) => {
      const { status, reason, output, error, ended, moreToolCalls = 0, beganMsAgo = null, ...more } = patch;
      const hasSucceeded = status === 'succeeded' && reason === null && error === null && ended === true;
      const isSimple = hasSucceeded && output !== undefined && Object.keys(more).length === 0;
      if (!isSimple || !memory.succeedStep(stepRunId, { output, moreToolCalls, beganMsAgo }))
        await (await leaveMemory()).updateStepRun(projectId, stepRunId, patch);
    },
    claimedStep: async (projectId, stepRunId) =>
      (projectId === memory.projectId ? memory.claimedStep(stepRunId) : null) ??
      (await leaveMemory()).claimedStep(projectId, stepRunId),
    record: async (units) => void memory.changes.units.push(...units),
    announce: async (projectId, events, newId) => void memory.changes.announced.push({ projectId, events, newId }),
  };
}

type KnownOfLoops = Pick<RunTransaction, 'itemValue' | 'insertItems' | 'countItems' | 'startItems' | 'endItem'>;

function loopOperations(memory: RunMemory, leaveMemory: () => Promise<RunTransaction>): KnownOfLoops {
  return {
    itemValue: async (loop, item) => memory.itemValue(loop, item) ?? (await leaveMemory()).itemValue(loop, item),
    insertItems: async (loop, values) => memory.insertItems(loop, values),
    countItems: async (loop, most) => memory.countItems(loop, most) ?? (await leaveMemory()).countItems(loop, most),
    startItems: async (loop, count) => memory.startItems(loop, count) ?? (await leaveMemory()).startItems(loop, count),
    endItem: async (loop, ended) => memory.endItem(loop, ended),
  };
}

type KnownOfStreams = Pick<RunTransaction, 'hasConcurrencySlot' | 'lockStreams' | 'acquireStream' | 'releaseStream'>;

/** A run that is made here on a stream of its own name has that stream: nobody else can know the name yet. */
function streamOperations(memory: RunMemory, leaveMemory: () => Promise<RunTransaction>): KnownOfStreams {
  const isOwnStream = (streamId: string): boolean =>
    memory.isNew() && streamId === memory.runId && memory.run?.streamId === memory.runId;
  return {
    hasConcurrencySlot: async (run) =>
      run.concurrency === null ? true : (await leaveMemory()).hasConcurrencySlot(run),
    lockStreams: async (projectId, streamIds) =>
      streamIds.every(isOwnStream)
        ? new Map(streamIds.map((streamId) => [streamId, { streamId, version: 0, entries: 0, erasures: 0 }]))
        : (await leaveMemory()).lockStreams(projectId, streamIds),
    acquireStream: async (run) => {
      if (!isOwnStream(run.streamId)) return (await leaveMemory()).acquireStream(run);
      memory.changes.taken.push(run);
      return true;
    },
    releaseStream: async ({ projectId, streamId, runId }) =>
      void memory.changes.released.push({ projectId, streamId, runId }),
  };
}
