import { isEntryType, readEventData, type EventInput, type EventType, type StoredEvent } from '#libs/domain';
import { KnownForms } from '#libs/context';
import { newEvent } from '../new-event.js';

/** A sub-stream in memory: seqs and entries as the store would assign them, nothing is written. */
export class SimulatedStream {
  /** What builds of its events know. */
  readonly known = new KnownForms();
  private readonly stored: StoredEvent[] = [];
  private readonly answers = new Map<number, Extract<StoredEvent, { type: 'LlmCallCompleted' }>>();
  private lastEntry = 0;

  constructor(readonly streamId: string) {}

  get events(): readonly StoredEvent[] {
    return this.stored;
  }

  get version(): number {
    return this.stored.length;
  }

  answerOf(entry: number): Extract<StoredEvent, { type: 'LlmCallCompleted' }> | undefined {
    return this.answers.get(entry);
  }

  append<T extends EventType>(runId: string | null, type: T, data: EventInput<T>): void {
    const subject = { runId, stepId: 'agent', item: null, round: 0, streamId: this.streamId };
    const made = newEvent((value) => value, subject, type, [this.version], data);
    const { eventId, schemaVersion, chars, digest } = made;
    this.take({
      ...subject,
      type,
      data: readEventData(type, schemaVersion, made.data),
      seq: 0,
      position: 0,
      cursor: '',
      entry: isEntryType(type) ? this.lastEntry + 1 : null,
      eventId,
      schemaVersion,
      chars,
      digest,
      recordedAt: '',
    });
  }

  /** Takes an event that is stored elsewhere, with its entry, at the next seq of this stream. */
  take(event: object): void;
  take(event: StoredEvent): void {
    const seq = this.version + 1;
    const placed: StoredEvent = { ...event, seq, position: seq, cursor: String(seq) };
    this.stored.push(placed);
    if (placed.entry !== null) this.lastEntry = placed.entry;
    if (placed.type === 'LlmCallCompleted' && placed.entry !== null) this.answers.set(placed.entry, placed);
  }
}
