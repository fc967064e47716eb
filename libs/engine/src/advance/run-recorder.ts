import { isAnnounced, subStreamId, type EventInput, type EventType, type NewEvent, type StepPlace } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { newEvent } from '../new-event.js';
import type { RunRecord } from '../ports/run-records.port.js';
import type { AnnouncedEvent } from '../ports/trigger-store.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';

type EventPlace = { stepId: string | null; item: number | null; round: number };

type Unit = { projectId: string; streamId: string; events: NewEvent[] };

/**
 * Collects the events of one transaction, so that each stream is locked once, last, and in sorted order. What follows one
 * another in a stream is a unit: the feed tells of the streams in the order in which it happened.
 */
export class RunRecorder {
  private units: Unit[] = [];

  constructor(
    private readonly deps: Pick<EngineDeps, 'redact' | 'newId'>,
    readonly run: Pick<RunRecord, 'projectId' | 'runId' | 'streamId'>,
  ) {}

  /** An event of the run, in its stream. */
  ofRun<T extends EventType>(type: T, key: readonly (string | number)[], data: EventInput<T>): void {
    this.push(this.run.streamId, { stepId: null, item: null, round: 0 }, type, key, data);
  }

  /** An event of a step, in the run's stream. */
  ofStep<T extends EventType>(place: StepPlace, type: T, key: readonly (string | number)[], data: EventInput<T>): void {
    this.push(this.run.streamId, place, type, key, data);
  }

  /** An event of a step's conversation, in its sub-stream. */
  inConversation<T extends EventType>(
    place: StepPlace,
    type: T,
    key: readonly (string | number)[],
    data: EventInput<T>,
  ): void {
    this.push(subStreamId(this.run.streamId, place.stepId, place.item), place, type, key, data);
  }

  /** Events that were made elsewhere, of this run. */
  add(streamId: string, events: readonly NewEvent[]): void {
    this.unitOf(streamId).events.push(...events);
  }

  /** Appends all that was collected, in this transaction, and what webhooks are to say of it. */
  async flush(tx: RunTransaction): Promise<void> {
    if (this.units.length === 0) return;
    const { units } = this;
    const announced = units.flatMap(({ events }) => events.flatMap((event) => this.announcement(event)));
    this.units = [];
    await tx.record(units);
    if (announced.length > 0) await tx.announce(this.run.projectId, announced, () => this.deps.newId('whd'));
  }

  private announcement({ eventId, type }: NewEvent): AnnouncedEvent[] {
    return isAnnounced(type) ? [{ eventId, type, runId: this.run.runId }] : [];
  }

  private push<T extends EventType>(
    streamId: string,
    place: EventPlace,
    type: T,
    key: readonly (string | number)[],
    data: EventInput<T>,
  ): void {
    const subject = { runId: this.run.runId, stepId: place.stepId, item: place.item, round: place.round, streamId };
    this.unitOf(streamId).events.push(newEvent(this.deps.redact, subject, type, key, data));
  }

  private unitOf(streamId: string): Unit {
    const last = this.units.at(-1);
    if (last?.streamId === streamId) return last;
    const unit = { projectId: this.run.projectId, streamId, events: [] };
    this.units.push(unit);
    return unit;
  }
}
