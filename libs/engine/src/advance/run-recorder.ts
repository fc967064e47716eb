import { isAnnounced, subStreamId, type EventInput, type EventType, type NewEvent, type StepPlace } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { newEvent } from '../new-event.js';
import type { RunRecord } from '../ports/run-records.port.js';
import type { AnnouncedEvent } from '../ports/trigger-store.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';

type EventPlace = { stepId: string | null; item: number | null; round: number };

/** Collects the events of one transaction, so that each stream is locked once, last, and in sorted order. */
export class RunRecorder {
  private readonly events = new Map<string, NewEvent[]>();

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
    this.events.set(streamId, [...(this.events.get(streamId) ?? []), ...events]);
  }

  /** Appends all that was collected, in this transaction, and what webhooks are to say of it. */
  async flush(tx: RunTransaction): Promise<void> {
    if (this.events.size === 0) return;
    const units = [...this.events].map(([streamId, events]) => ({ projectId: this.run.projectId, streamId, events }));
    const announced = units.flatMap(({ events }) => events.flatMap((event) => this.announcement(event)));
    this.events.clear();
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
    const list = this.events.get(streamId) ?? [];
    list.push(newEvent(this.deps.redact, subject, type, key, data));
    this.events.set(streamId, list);
  }
}
