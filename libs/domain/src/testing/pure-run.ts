import type { EventData, EventType } from '../events/event-catalogue.js';
import type { StoredEvent } from '../events/event.js';
import type { FailureKind } from '../failure/classify-failure.js';
import { canonicalJson } from '../canonical-json.js';
import type { Json, JsonObject } from '../json.js';
import type { ExpressionLanguage } from '../pipeline/expression-language.js';
import { findDefinedStep } from '../pipeline/graph.js';
import type { PipelineDefinition } from '../pipeline/pipeline-definition.js';
import type { ScopeEnd, StepCommand } from '../run/command.js';
import { decideItems, decideRound, itemsOutput, roundOutputs } from '../run/decide-loop.js';
import { decideNext, scopeVariables } from '../run/decide-next.js';
import { isSamePlace, type StepPlace, type StepState } from '../run/run-state.js';
import { isEndedRun, isEndedStep } from '../run/run-status.js';
import {
  bodyScope,
  containerPlace,
  isLoop,
  scopeOf,
  topScope,
  type ForEachStep,
  type RepeatStep,
  type Scope,
} from '../run/scope.js';
import { isInsideLoop } from '../run/steps-to-retry.js';
import { failureEvent } from './failure-event.js';
import {
  created,
  expansionOf,
  itemsOf,
  placesToRetry,
  scopesUnderWay,
  statesOf,
  surroundingsOf,
} from './pure-scope.js';
import { RunWatcher } from './run-watcher.js';

/**
 * A run without a database: what `decideNext` commands becomes events, `evolve` makes the next state of them, and a watcher
 * looks after each move. The engine's counterpart is libs/engine/src/advance.
 */
export class PureRun {
  readonly events: StoredEvent[] = [];
  private readonly watcher: RunWatcher;
  private batch: StoredEvent[] = [];
  private readonly roundOf = new Map<string, number>();

  constructor(
    private readonly definition: PipelineDefinition,
    private readonly language: ExpressionLanguage,
    inputs: JsonObject = {},
  ) {
    this.watcher = new RunWatcher(definition);
    this.move(() => {
      this.record(null, 'RunCreated', created(definition, inputs));
      this.record(null, 'RunStarted', {});
      return [];
    });
  }

  get state() {
    return this.watcher.state;
  }

  get hasEnded(): boolean {
    return isEndedRun(this.state.status);
  }

  steps(...statuses: StepState['status'][]): StepState[] {
    return this.state.steps.filter(({ status }) => statuses.includes(status));
  }

  start(step: StepState): void {
    this.move(() => {
      const seen = { context_mode: null, cutoff_seq: null, memory_seq: null, manifest: null };
      this.record(step, 'StepStarted', { attempt: step.attempt, start: 1, ...seen });
      return [step];
    });
  }

  finish(step: StepState, output: Json): void {
    this.tell(step, 'StepSucceeded', { output });
  }

  /** The worker gives the step back, or died: not an attempt. */
  release(step: StepState): void {
    this.tell(step, 'StepReleased', { reason: 'shutdown' });
  }

  wait(step: StepState, reason: NonNullable<StepState['reason']>): void {
    this.tell(step, 'StepWaiting', { reason, key: null, due_at: null });
  }

  wake(step: StepState): void {
    this.tell(step, 'StepWoken', { reason: step.reason ?? 'timer' });
  }

  private tell<T extends EventType>(step: StepState, type: T, data: EventData<T>): void {
    this.move(() => {
      this.record(step, type, data);
      return [step];
    });
  }

  fail(step: StepState, kind: FailureKind): void {
    this.move(() => {
      if (this.state.cancelRequested) this.record(step, 'StepCancelled', {});
      else this.record(step, ...failureEvent(this.definition, step, kind));
      return [step];
    });
  }

  retry(): void {
    if (!this.hasEnded || this.state.status === 'succeeded') return;
    this.move(() => {
      this.record(null, 'RunRetried', { steps: placesToRetry(this.state, this.definition), version: 1 });
      return [];
    });
  }

  cancel(): void {
    if (!this.hasEnded && !this.state.cancelRequested)
      this.move(() => {
        this.record(null, 'RunCancelRequested', { reason: null });
        return [];
      });
  }

  /** All that follows from what has just been written, as one transaction. */
  private move(write: () => readonly StepPlace[]): void {
    const changed = write();
    this.advance(changed.map((place) => scopeOf(this.definition, place) ?? topScope(this.definition)));
    this.watcher.look();
    this.batch = [];
    // Looking everywhere finds no more than looking where something changed.
    this.advance([
      topScope(this.definition),
      ...scopesUnderWay(this.state, this.definition, (loop) => this.roundOf.get(key(loop)) ?? 0),
    ]);
    if (this.batch.length > 0)
      throw new Error(`S9: deciding again gave ${this.batch.map(({ type }) => type).join(', ')}`);
  }

  private advance(given: readonly Scope[]): void {
    if (this.hasEnded || this.state.status === 'queued') return;
    if (this.state.cancelRequested) return this.stop();
    const scopes = given.length === 0 ? [topScope(this.definition)] : [...given];
    for (let scope = scopes.shift(); scope !== undefined; scope = scopes.shift()) {
      const own = statesOf(this.state, scope);
      const { commands, end } = decideNext(
        scope,
        own,
        surroundingsOf(this.state, this.definition, scope),
        this.context,
      );
      for (const command of commands) scopes.push(...this.perform(command));
      if (end === null) continue;
      if (scope.container === null) return this.end(end);
      scopes.push(...this.endBody(scope, end));
    }
  }

  private stop(): void {
    for (const step of this.state.steps)
      if (!isEndedStep(step.status) && step.status !== 'running') this.record(step, 'StepCancelled', {});
    if (!this.state.steps.some(({ status }) => status === 'running'))
      this.record(null, 'RunCancelled', { reason: null });
  }

  private end(end: ScopeEnd): void {
    if (end.kind === 'succeeded') this.record(null, 'RunSucceeded', { output: end.output });
    else this.record(null, end.kind === 'failed' ? 'RunFailed' : 'RunDeadLettered', { error: end.error });
  }

  private perform(command: StepCommand): Scope[] {
    const { kind, attempt } = command;
    if (command.type === 'skip_step' || command.type === 'fail_step') this.cancelInside(command);
    else this.record(command, 'StepQueued', { kind, attempt });
    switch (command.type) {
      case 'queue_step':
        return [];
      case 'skip_step':
        this.record(command, 'StepSkipped', { reason: command.reason });
        return [];
      case 'fail_step':
        this.record(command, 'StepFailed', { attempt, error: command.error });
        return [];
      case 'open_wait': {
        const reason = command.wait.for === 'time' ? 'timer' : command.wait.for;
        this.record(command, 'StepWaiting', { reason, key: null, due_at: null });
        return [];
      }
      case 'expand_items':
        this.record(command, 'StepWaiting', { reason: 'children', key: null, due_at: null });
        this.record(command, ...expansionOf(this.state, command, command.items));
        return this.continueItems(command);
      case 'begin_rounds':
        return this.beginRound(command, this.roundOf.get(key(command)) ?? 0);
    }
  }

  private beginRound(place: StepPlace, round: number): Scope[] {
    const step = findDefinedStep(this.definition, place.stepId)?.step;
    this.roundOf.set(key(place), round);
    this.record(place, 'StepWaiting', { reason: 'children', key: String(round), due_at: null });
    return step === undefined || !isLoop(step) ? [] : [bodyScope(step, place, round)];
  }

  private endBody(scope: Scope, end: ScopeEnd): Scope[] {
    const place = containerPlace(scope);
    const loop = this.state.steps.find((step) => place !== null && isSamePlace(step, place));
    if (scope.container === null || loop === undefined || loop.status !== 'waiting') return [];
    switch (scope.container.kind) {
      case 'for_each': {
        const ended =
          end.kind === 'succeeded'
            ? { status: 'succeeded' as const, output: end.output, error: null }
            : { status: 'failed' as const, output: null, error: end.error };
        this.record({ ...loop, item: scope.item }, 'ItemEnded', ended);
        return this.continueItems(loop);
      }
      case 'repeat':
        return this.endRound(loop, scope.container, scope, end);
    }
  }

  private continueItems(place: StepPlace): Scope[] {
    const step = findDefinedStep(this.definition, place.stepId)?.step;
    if (step?.kind !== 'for_each') return [];
    const items = itemsOf(this.state, place);
    const counts = { pending: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 };
    for (const { status } of items) counts[status] += 1;
    const decision = decideItems(step, counts);
    switch (decision.next) {
      case 'start': {
        const begun = items.filter(({ status }) => status === 'pending').slice(0, decision.count);
        for (const { item } of begun) this.record({ ...place, item }, 'ItemStarted', {});
        return begun.map(({ item }) => bodyScope(step, place, item));
      }
      case 'succeed':
        return this.endLoop(place, itemsOutput(step, items));
      case 'fail':
        return this.failLoop(place, step);
    }
  }

  private endRound(loop: StepPlace, step: RepeatStep, scope: Scope, end: ScopeEnd): Scope[] {
    if (this.roundOf.get(key(loop)) !== scope.round) return [];
    const own = statesOf(this.state, scope);
    const last = roundOutputs(step, own);
    const variables = () =>
      scopeVariables(own, { ...surroundingsOf(this.state, this.definition, scope), last }, this.context);
    const decision = decideRound(step, scope.round, end, variables, this.language);
    switch (decision.next) {
      case 'round':
        return this.beginRound(loop, decision.round);
      case 'succeed':
        return this.endLoop(loop, decision.output);
      case 'fail':
        return this.failLoop(loop, step);
    }
  }

  private endLoop(place: StepPlace, output: Json): Scope[] {
    this.record(place, 'StepSucceeded', { output });
    const scope = scopeOf(this.definition, place);
    return scope === null ? [] : [scope];
  }

  private failLoop(place: StepPlace, step: ForEachStep | RepeatStep): Scope[] {
    this.cancelInside(place);
    const error = { code: 'item_failed', detail: 'it failed inside', step_id: step.id };
    this.record(place, 'StepFailed', { attempt: 1, error });
    const scope = scopeOf(this.definition, place);
    return scope === null ? [] : [scope];
  }

  private cancelInside(place: StepPlace): void {
    for (const inner of this.state.steps)
      if (!isEndedStep(inner.status) && isInsideLoop(this.definition, inner, place))
        this.record(inner, 'StepCancelled', {});
  }

  private get context() {
    return { definition: this.definition, language: this.language, run: null, inputs: this.state.inputs };
  }

  private record<T extends EventType>(place: StepPlace | null, type: T, data: EventData<T>): void {
    const seq = this.events.length + 1;
    const event = {
      ...{ type, data, streamId: 'run_1', seq, position: seq, cursor: `0-${seq}`, eventId: `event-${seq}` },
      ...{ schemaVersion: 1, entry: null, chars: 0, digest: '', recordedAt: '', runId: 'run_1' },
      ...{ stepId: place?.stepId ?? null, item: place?.item ?? null, round: place?.round ?? 0 },
    } as unknown as StoredEvent;
    this.events.push(event);
    this.batch.push(event);
    this.watcher.note(event);
  }
}

const key = ({ stepId, item, round }: StepPlace): string => canonicalJson([stepId, item, round]);
