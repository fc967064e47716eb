import { isSamePlace, type RunState, type StepPlace, type StepState } from '../run/run-state.js';
import { evolve, initialRunState } from '../run/evolve.js';
import { isEndedRun, isEndedStep, type StepStatus } from '../run/run-status.js';
import { allSteps, findDefinedStep } from '../pipeline/graph.js';
import { effectiveStep } from '../pipeline/effective-step.js';
import type { PipelineDefinition } from '../pipeline/pipeline-definition.js';
import { DEFAULT_RETRY } from '../pipeline/retry-policy.js';
import type { StoredEvent } from '../events/event.js';

/** A law of decide-next.ts that a run's events broke. */
export class BrokenRunLaw extends Error {
  override readonly name = 'BrokenRunLaw';

  constructor(law: string, detail: string) {
    super(`${law}: ${detail}`);
  }
}

const BEGINS: ReadonlySet<string> = new Set(['StepQueued', 'StepWaiting', 'StepRetryScheduled', 'StepWoken']);
const FAILED: ReadonlySet<StepStatus> = new Set(['failed', 'timed_out', 'dead_letter', 'cancelled']);
const RUN_CHANGES = /^(Run|Step|Item)/;

/**
 * Follows a run by its events, a transaction at a time, and throws at the first that breaks a law. It knows nothing of how
 * the events came about, so the pure machine and the engine on a database are watched alike.
 */
export class RunWatcher {
  state: RunState = initialRunState;
  /** Attempts that a step had used when the run was retried. */
  private readonly attemptsBefore = new Map<string, number>();
  private isDiscarding = false;

  constructor(private readonly definition: PipelineDefinition) {}

  /** The events of one transaction, in their order. */
  see(batch: readonly StoredEvent[]): void {
    for (const event of batch) this.note(event);
    if (batch.length > 0) this.look();
  }

  /** One event of a transaction that goes on. */
  note(event: StoredEvent): void {
    if (!RUN_CHANGES.test(event.type)) return;
    this.before(event);
    const before = this.state;
    this.state = evolve(this.state, event);
    this.after(event, before);
  }

  private before(event: StoredEvent): void {
    const step = this.stepOf(event);
    if (isEndedRun(this.state.status) && event.type !== 'RunRetried') this.s2(event, step);
    if (event.type.startsWith('Step')) this.s1(event, step);
    if (this.state.cancelRequested && BEGINS.has(event.type))
      fail('S5', `${describe(event)} although the run is to be cancelled`);
    if (event.type === 'StepQueued' && (step === null || step.status === 'pending')) this.s7(event, false);
    if (event.type === 'StepSkipped') this.s7(event, event.data.reason !== 'when_false');
    if (event.type !== 'RunRetried') return;
    for (const { stepId, item, round, attempt } of this.state.steps)
      this.attemptsBefore.set(placeKey({ stepId, item, round }), attempt);
  }

  /** Of a run that ended only a dead letter may change: who discards it makes it, and with the last one the run, failed. */
  private s2(event: StoredEvent, step: StepState | null): void {
    const isDiscard = event.type === 'StepFailed' && step?.status === 'dead_letter';
    if (isDiscard) this.isDiscarding = true;
    if (isDiscard || (event.type === 'RunFailed' && this.isDiscarding)) return;
    fail('S2', `${describe(event)} after the run had ended as ${this.state.status}`);
  }

  private s1(event: StoredEvent, step: StepState | null): void {
    if (step === null || !isEndedStep(step.status)) return;
    if (event.type === 'StepFailed' && step.status === 'dead_letter') return;
    fail('S1', `${describe(event)} after the step had ended as ${step.status}`);
  }

  /** Said anew, not asked of `readinessOf`: a step begins when what it depends on has let it, and is skipped when nothing can. */
  private s7(event: StoredEvent, isSkip: boolean): void {
    if (event.stepId === null) return;
    const found = findDefinedStep(this.definition, event.stepId);
    if (found === null) return fail('S7', `${describe(event)}: the pipeline has no such step`);
    const { step, siblings } = found;
    const own = this.state.steps.filter(({ item, round }) => item === event.item && round === event.round);
    const statusOf = (id: string): StepStatus => own.find(({ stepId }) => stepId === id)?.status ?? 'pending';
    const hasFailed = (id: string): boolean => FAILED.has(statusOf(id));
    const isDone = (id: string): boolean =>
      statusOf(id) === 'succeeded' ||
      (hasFailed(id) && siblings.find((one) => one.id === id)?.onError.action === 'continue');
    const isEnded = (id: string): boolean => isEndedStep(statusOf(id));
    const sources = siblings
      .filter(({ onError }) => onError.action === 'goto' && onError.stepId === step.id)
      .map(({ id }) => id);
    const takesAny = step.join === 'any' && step.dependsOn.length > 0;
    const isLed = sources.length === 0 || sources.some(hasFailed);
    const mayBegin = takesAny
      ? step.dependsOn.every(isEnded) && step.dependsOn.some(isDone)
      : step.dependsOn.every(isDone);
    const canNever =
      (sources.every(isEnded) && !isLed) ||
      (takesAny
        ? step.dependsOn.every(isEnded) && !step.dependsOn.some(isDone)
        : step.dependsOn.some((id) => isEnded(id) && !isDone(id)));
    if (isSkip ? !canNever : !(isLed && mayBegin))
      fail(
        'S7',
        `${describe(event)}, where its dependencies are ${step.dependsOn.map((id) => `${id} ${statusOf(id)}`).join(', ')}`,
      );
  }

  private after(event: StoredEvent, before: RunState): void {
    const step = this.stepOf(event);
    if (step !== null) {
      const was = before.steps.find((one) => isSamePlace(one, step));
      this.s6(event, step, was?.attempt ?? null);
      if (step.status === 'waiting' && step.reason === null)
        fail('S11', `${describe(event)} leaves a step waiting for nothing`);
    }
    if (isEndedRun(this.state.status) && !isEndedRun(before.status)) this.s3(event);
  }

  private s6(event: StoredEvent, step: StepState, before: number | null): void {
    const base = this.attemptsBefore.get(placeKey(step)) ?? 0;
    const allowed = base + (effectiveStep(this.definition, step.stepId)?.retry ?? DEFAULT_RETRY).maxAttempts;
    if (event.type === 'StepRetryScheduled') {
      if (step.attempt !== (before ?? 0) + 1)
        fail('S6', `${describe(event)} goes from attempt ${before} to ${step.attempt}`);
    } else if (event.type !== 'StepQueued' && before !== null && step.attempt !== before)
      fail('S6', `${describe(event)} changes the attempt from ${before} to ${step.attempt}`);
    if (step.attempt > allowed) fail('S6', `${describe(event)}: attempt ${step.attempt} of ${allowed}`);
  }

  private s3(event: StoredEvent): void {
    const open = this.state.steps.find(({ status }) => !isEndedStep(status));
    if (open !== undefined) fail('S3', `${describe(event)} while ${placeKey(open)} is ${open.status}`);
    const isStopped = this.state.status === 'cancelled' || this.state.status === 'timed_out';
    if (this.state.cancelRequested !== isStopped)
      fail('S5', `${describe(event)}, cancel requested: ${this.state.cancelRequested}`);
    const missing = this.definition.steps.find(({ id }) => !this.state.steps.some(({ stepId }) => stepId === id));
    if (!isStopped && missing !== undefined) fail('S3', `${describe(event)} although ${missing.id} was never decided`);
  }

  /** What holds between two transactions. */
  look(): void {
    const { status, steps, items } = this.state;
    if (isEndedRun(status) || status === 'queued') return;
    const open = steps.filter(({ status: of }) => of !== 'pending' && !isEndedStep(of));
    if (open.length === 0) fail('S4', `the run is ${status} and nothing of it is outstanding`);
    const isActive = open.some((step) => step.status === 'queued' || step.status === 'running');
    if (status !== 'cancelling' && (status === 'running') !== isActive)
      fail(
        'S4',
        `the run is ${status}; open steps: ${open.map((step) => `${placeKey(step)} ${step.status}`).join(', ')}`,
      );
    if (status === 'cancelling' && !isActive)
      fail('S5', 'the run is to be cancelled, nothing of it runs, and it has not ended');
    for (const step of allSteps(this.definition.steps)) {
      if (step.kind !== 'for_each') continue;
      for (const loop of steps.filter(({ stepId }) => stepId === step.id)) {
        const running = items.filter(
          (item) => item.stepId === step.id && item.round === loop.round && item.status === 'running',
        );
        if (running.length > step.maxParallel)
          fail('S8', `${placeKey(loop)} has ${running.length} items under way, max_parallel is ${step.maxParallel}`);
        if (isEndedStep(loop.status) && running.length > 0 && !this.state.cancelRequested)
          fail('S8', `${placeKey(loop)} has ended with items under way`);
      }
    }
    this.bodies(steps);
  }

  /** Steps of a body are under way only while their loop is; a cancel ends the loop at once and what runs when it has stopped. */
  private bodies(steps: readonly StepState[]): void {
    if (this.state.cancelRequested) return;
    for (const loop of steps) {
      const step = findDefinedStep(this.definition, loop.stepId)?.step;
      if (step === undefined || (step.kind !== 'for_each' && step.kind !== 'repeat') || !isEndedStep(loop.status))
        continue;
      const inside = step.body.steps.map(({ id }) => id);
      const open = steps.find(
        (one) =>
          inside.includes(one.stepId) &&
          !isEndedStep(one.status) &&
          (step.kind === 'for_each' ? one.round === loop.round : one.item === loop.item),
      );
      if (open !== undefined)
        fail('S8', `${placeKey(loop)} has ended (${loop.status}), its ${placeKey(open)} is ${open.status}`);
    }
  }

  private stepOf({ type, stepId, item, round }: StoredEvent): StepState | null {
    if (stepId === null || !type.startsWith('Step')) return null;
    return this.state.steps.find((step) => isSamePlace(step, { stepId, item, round })) ?? null;
  }
}

const placeKey = ({ stepId, item, round }: StepPlace): string =>
  `${stepId}${item === null ? '' : `[${item}]`}${round === 0 ? '' : `#${round}`}`;

const describe = ({ type, stepId, item, round }: StoredEvent): string =>
  stepId === null ? type : `${type} of ${placeKey({ stepId, item, round })}`;

function fail(law: string, detail: string): never {
  throw new BrokenRunLaw(law, detail);
}
