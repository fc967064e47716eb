import type { StoredEvent } from '#libs/domain';
import type { EventLog } from '../ports/event-log.port.js';

/** The events of one sub-stream as this worker has read them: each is read once. */
export class Conversation {
  private readonly stored: StoredEvent[] = [];

  constructor(
    private readonly log: EventLog,
    readonly projectId: string,
    readonly streamId: string,
  ) {}

  get events(): readonly StoredEvent[] {
    return this.stored;
  }

  /** Last seq that was read: the version that the next append expects. */
  get version(): number {
    return this.stored.at(-1)?.seq ?? 0;
  }

  /** Reads what was appended since. */
  async refresh(): Promise<readonly StoredEvent[]> {
    this.stored.push(
      ...(await this.log.read({ projectId: this.projectId, streamId: this.streamId, afterSeq: this.version })),
    );
    return this.stored;
  }
}
