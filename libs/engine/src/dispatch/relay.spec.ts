import { AppError, RetryableError } from '#libs/domain';
import type { StepJob } from '../ports/step-queue.port.js';
import { Admission } from './admission.js';
import { dispatchNow, type DispatchDeps } from './dispatch-now.js';
import { relay } from './relay.js';

/** The outbox and the queue in memory, with the faults that real ones have. */
class Dispatching {
  readonly undispatched = new Map<string, StepJob>();
  readonly queued: string[] = [];
  readonly logged: string[] = [];
  readonly admission = new Admission();
  crowds = 0;
  capacity = 10;
  fault: ((jobs: readonly StepJob[]) => Error | null) | null = null;

  add(...ids: string[]): this {
    for (const stepRunId of ids) this.undispatched.set(stepRunId, { stepRunId, dispatchNo: 1, priority: 0 });
    return this;
  }

  get deps(): DispatchDeps {
    const take = (ids: readonly string[]): StepJob[] =>
      ids.flatMap((id) => {
        const job = this.undispatched.get(id);
        this.undispatched.delete(id);
        return job === undefined ? [] : [job];
      });
    const note = (_fields: unknown, message: string): void => void this.logged.push(message);
    const runs: Pick<DispatchDeps['runs'], 'takeRunnable' | 'takeThese' | 'undispatch'> = {
      takeRunnable: async (limit) => take([...this.undispatched.keys()].slice(0, limit)),
      takeThese: async (ids) => take(ids),
      undispatch: async (jobs) => void this.add(...jobs.map((job) => job.stepRunId)),
    };
    const queue: Pick<DispatchDeps['queue'], 'room' | 'reserve' | 'push'> = {
      room: async () => this.capacity - this.queued.length,
      reserve: (count) => Math.min(count, this.capacity - this.queued.length),
      push: async (jobs) => {
        const fault = this.fault?.(jobs) ?? null;
        if (fault !== null) throw fault;
        this.queued.push(...jobs.map((job) => job.stepRunId));
      },
    };
    return {
      runs: runs as DispatchDeps['runs'],
      queue: queue as DispatchDeps['queue'],
      admission: this.admission,
      wakeups: { publishCrowded: async () => void (this.crowds += 1) } as unknown as DispatchDeps['wakeups'],
      logger: { debug: note, info: note, warn: note, error: note },
    };
  }
}

const away = () => new RetryableError('queue_unavailable', 'Redis is away');

describe('the relay', () => {
  it('pushes as much as admission has room for, the rest stays in the outbox', async () => {
    const world = new Dispatching().add(...Array.from({ length: 15 }, (_, n) => `s${n}`));
    await expect(relay(world.deps)).resolves.toEqual({ pushed: 10, more: true });
    await expect(relay(world.deps)).resolves.toEqual({ pushed: 0, more: false });
    expect(world.undispatched.size).toBe(5);
    world.queued.splice(0, 7);
    await expect(relay(world.deps)).resolves.toEqual({ pushed: 5, more: true });
    await expect(relay(world.deps)).resolves.toEqual({ pushed: 0, more: false });
  });

  it('gives rows back when the queue is away, and says so', async () => {
    const world = new Dispatching().add('s1', 's2');
    world.fault = away;
    await expect(relay(world.deps)).rejects.toThrow('Redis is away');
    expect([...world.undispatched.keys()]).toEqual(['s1', 's2']);
    world.fault = null;
    await expect(relay(world.deps)).resolves.toEqual({ pushed: 2, more: true });
  });

  it('does not let a row that the queue refuses hold up the others', async () => {
    const world = new Dispatching().add('s1', 'bad', 's2');
    world.fault = (jobs) =>
      jobs.some((job) => job.stepRunId === 'bad') ? new AppError('invalid_job', 'no such id') : null;
    await expect(relay(world.deps)).resolves.toEqual({ pushed: 2, more: true });
    expect(world.queued).toEqual(['s1', 's2']);
    expect(world.undispatched.size).toBe(0);
    expect(world.logged).toEqual(['the queue refuses this step']);
  });

  it('gives back what is left when the queue goes away between single pushes', async () => {
    const world = new Dispatching().add('s1', 'bad', 's2');
    world.fault = (jobs) =>
      jobs.length > 1 ? new AppError('invalid_job', 'no such id') : jobs[0]?.stepRunId === 's1' ? null : away();
    await expect(relay(world.deps)).rejects.toThrow('Redis is away');
    expect(world.queued).toEqual(['s1']);
    expect([...world.undispatched.keys()]).toEqual(['bad', 's2']);
  });
});

describe('admission', () => {
  it('lets others follow a job that left the queue while some wait, also those that another process left', async () => {
    const admission = new Admission();
    let refills = 0;
    admission.onRoom(() => (refills += 1));
    admission.note(false);
    admission.jobTaken();
    expect(refills).toBe(0);
    admission.note(true);
    admission.jobTaken();
    expect(refills).toBe(1);
    admission.note(false);
    admission.noteCrowd();
    expect({ refills, isCrowded: admission.isCrowded }).toEqual({ refills: 2, isCrowded: true });
    admission.noteCrowd();
    expect(refills).toBe(2);
  });
});

describe('dispatching after a commit', () => {
  it('pushes at once what was made runnable, within admission', async () => {
    const world = new Dispatching().add('s1', 's2', 's3');
    world.capacity = 2;
    await dispatchNow(world.deps, ['s1', 's2', 's3']);
    expect(world.queued).toEqual(['s1', 's2']);
    expect([...world.undispatched.keys()]).toEqual(['s3']);
    expect(world.crowds).toBe(1);
  });

  it('tells of a crowd only where more is runnable than the queue takes', async () => {
    const world = new Dispatching().add('s1', 's2');
    await dispatchNow(world.deps, ['s1', 's2']);
    expect(world.crowds).toBe(0);
  });

  it('lets those whose turn it is go first where others wait already, until nobody does', async () => {
    const world = new Dispatching().add('s1', 's2', 's3');
    world.capacity = 2;
    await relay(world.deps);
    world.add('new');
    world.capacity = 3;
    await dispatchNow(world.deps, ['new']);
    expect(world.queued).toEqual(['s1', 's2', 's3']);
    world.capacity = 10;
    await relay(world.deps);
    await relay(world.deps);
    expect(world.queued).toEqual(['s1', 's2', 's3', 'new']);
    world.add('older', 'newer');
    await dispatchNow(world.deps, ['newer']);
    expect(world.queued.at(-1)).toBe('newer');
  });

  it('pushes what is marked as dispatched without asking for room, and gives it back when the queue is away', async () => {
    const world = new Dispatching();
    const job = { stepRunId: 's1', dispatchNo: 1, priority: 0 };
    await dispatchNow(world.deps, [], [job]);
    expect(world.queued).toEqual(['s1']);
    world.fault = away;
    await dispatchNow(world.deps, [], [{ ...job, stepRunId: 's2' }]);
    expect([...world.undispatched.keys()]).toEqual(['s2']);
    expect(world.logged).toEqual(['dispatch put off: the relay pushes these steps when the queue answers']);
  });

  it('never throws: what could not be pushed stays in the outbox', async () => {
    const world = new Dispatching().add('s1');
    world.fault = away;
    await dispatchNow(world.deps, ['s1']);
    expect([...world.undispatched.keys()]).toEqual(['s1']);
  });
});
