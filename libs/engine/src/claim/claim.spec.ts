import { drain } from './drain.js';
import { heartbeat, pollCancels } from './heartbeat.js';
import { HeldSteps, stopReasonOf, type HeldStep } from './held-steps.js';
import type { RunStore } from '../ports/run-store.port.js';
import type { EngineSettings } from '../engine-deps.js';

/** What the database would answer to a heartbeat, and which runs are to be cancelled. */
function deps(held: HeldSteps, renewed: Record<string, { cancelRequested: boolean }>, cancelled: string[] = []) {
  const runs: Pick<RunStore, 'heartbeat' | 'cancelRequested'> = {
    heartbeat: async () => new Map(Object.entries(renewed)),
    cancelRequested: async (runIds) => runIds.filter((runId) => cancelled.includes(runId)),
  };
  return { held, runs: runs as RunStore, settings: { leaseMs: 45_000 } as EngineSettings };
}

const endsWhenStopped = (held: HeldSteps, step: HeldStep): void =>
  step.signal.addEventListener('abort', () => held.release(step));

describe('a heartbeat', () => {
  it('stops what has another owner and what is to be cancelled, and nothing else', async () => {
    const held = new HeldSteps();
    const mine = held.hold('s1', 'run_1', 1);
    const taken = held.hold('s2', 'run_2', 1);
    const cancelled = held.hold('s3', 'run_3', 1);
    await heartbeat(deps(held, { s1: { cancelRequested: false }, s3: { cancelRequested: true } }));
    expect([mine, taken, cancelled].map((step) => stopReasonOf(step.signal))).toEqual([null, 'fenced', 'cancelled']);
  });

  it('asks nothing while no step runs', async () => {
    const asked = deps(new HeldSteps(), {});
    asked.runs.heartbeat = () => Promise.reject(new Error('asked'));
    await expect(heartbeat(asked)).resolves.toBeUndefined();
    await expect(pollCancels(asked)).resolves.toBeUndefined();
  });

  it('has a poll beside it that finds cancels whose publication was lost', async () => {
    const held = new HeldSteps();
    const [one, two] = [held.hold('s1', 'run_1', 1), held.hold('s2', 'run_2', 1)];
    await pollCancels(deps(held, {}, ['run_2']));
    expect([one, two].map((step) => stopReasonOf(step.signal))).toEqual([null, 'cancelled']);
  });
});

describe('draining', () => {
  it('ends at once when nothing runs', async () => {
    await expect(drain(new HeldSteps(), 60_000)).resolves.toEqual({ left: 0 });
  });

  it('lets a step reach its turn boundary within its time', async () => {
    const held = new HeldSteps();
    const step = held.hold('s1', 'run_1', 1);
    const draining = drain(held, 60_000);
    expect(step.isDraining()).toBe(true);
    held.release(step);
    await expect(draining).resolves.toEqual({ left: 0 });
    expect(step.signal.aborted).toBe(false);
  });

  it('aborts what still runs after that', async () => {
    const held = new HeldSteps();
    const step = held.hold('s1', 'run_1', 1);
    endsWhenStopped(held, step);
    await expect(drain(held, 20)).resolves.toEqual({ left: 0 });
    expect(stopReasonOf(step.signal)).toBe('shutdown');
  });
});
