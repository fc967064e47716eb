import { setTimeout } from 'node:timers/promises';
import type { Wakeups } from '#libs/engine';
import { ListenerMarks, type MarkStore } from './listener-marks.js';
import { Listeners } from './listeners.js';
import type { ReportFault } from './queue-backend.js';
import {
  decodeDelta,
  decodeRun,
  decodeRuns,
  encodeDelta,
  encodeRun,
  encodeRuns,
  type Delta,
} from './wakeup-messages.js';

export type WakeupKind = 'cancel' | 'progress' | 'crowded' | 'delta';

/** A channel for each kind of wake-up, between all processes of an installation, and marks of who listens to a stream. */
export interface WakeupChannels extends MarkStore {
  /** Characters of a delta that one message carries. */
  readonly deltaChars: number;
  send(kind: WakeupKind, message: string): Promise<unknown>;
  /** Once a kind; `receive` never throws. A fault of the channel is the channel's to report and to mend. */
  listen(kind: WakeupKind, receive: (message: string) => void): void;
  close(): Promise<void>;
}

const PROGRESS_MS = 1;

/** Wake-ups over whatever carries them. A message that cannot be sent is reported and lost, as the port allows. */
export class ChannelWakeups implements Wakeups {
  private readonly cancels: Listeners<string>;
  private readonly progress: Listeners<string>;
  private readonly crowds: Listeners<void>;
  private readonly deltas: Listeners<Delta>;
  private readonly marks: ListenerMarks;
  private readonly heard = new Set<WakeupKind>();
  private readonly progressed = new Set<string>();
  private telling: Promise<void> | null = null;

  constructor(
    private readonly channels: WakeupChannels,
    private readonly reportFault: ReportFault,
  ) {
    this.cancels = new Listeners('cancel', reportFault);
    this.progress = new Listeners('progress', reportFault);
    this.crowds = new Listeners('crowded', reportFault);
    this.deltas = new Listeners('deltas', reportFault);
    this.marks = new ListenerMarks(channels, reportFault);
  }

  publishCancel(runId: string): Promise<void> {
    return this.publish('cancel', encodeRun(runId));
  }

  /**
   * Does not wait, and leaves a moment later, when what the run goes on with has been sent. What happens until then, or while the last
   * message is under way, is one message.
   */
  publishProgress(runId: string): Promise<void> {
    this.progressed.add(runId);
    this.telling ??= this.tellProgress();
    return Promise.resolve();
  }

  publishCrowded(): Promise<void> {
    return this.publish('crowded', '');
  }

  async publishDelta(delta: Delta): Promise<void> {
    const { deltaChars } = this.channels;
    if (delta.text.length <= deltaChars) return this.publish('delta', encodeDelta(delta));
    const characters = [...delta.text];
    for (let from = 0; from < characters.length; from += deltaChars) {
      const text = characters.slice(from, from + deltaChars).join('');
      await this.publish('delta', encodeDelta({ ...delta, text }));
    }
  }

  onCancel(listener: (runId: string) => void): void {
    this.cancels.add(listener);
    this.listen('cancel', (message) => this.cancels.emit(decodeRun(message)));
  }

  onProgress(listener: (runId: string) => void): void {
    this.progress.add(listener);
    this.listen('progress', (message) => decodeRuns(message).forEach((runId) => this.progress.emit(runId)));
  }

  onCrowded(listener: () => void): void {
    this.crowds.add(listener);
    this.listen('crowded', () => this.crowds.emit());
  }

  onDelta(listener: (delta: Delta) => void): void {
    this.deltas.add(listener);
    this.listen('delta', (message) => this.deltas.emit(decodeDelta(message)));
  }

  announceListener(projectId: string, streamId: string): Promise<void> {
    return this.marks.announce(projectId, streamId);
  }

  hasListener(projectId: string, streamId: string): Promise<boolean> {
    return this.marks.has(projectId, streamId);
  }

  async close(): Promise<void> {
    await this.telling;
    await this.channels.close();
  }

  private async tellProgress(): Promise<void> {
    await setTimeout(PROGRESS_MS);
    while (this.progressed.size > 0) {
      const message = encodeRuns([...this.progressed]);
      this.progressed.clear();
      await this.publish('progress', message);
    }
    this.telling = null;
  }

  private async publish(kind: WakeupKind, message: string): Promise<void> {
    try {
      await this.channels.send(kind, message);
    } catch (error) {
      this.reportFault(`a wake-up (${kind}) was lost`, error);
    }
  }

  private listen(kind: WakeupKind, handle: (message: string) => void): void {
    if (this.heard.has(kind)) return;
    this.heard.add(kind);
    this.channels.listen(kind, (message) => {
      try {
        handle(message);
      } catch (error) {
        this.reportFault(`a wake-up (${kind}) could not be read`, error);
      }
    });
  }
}
