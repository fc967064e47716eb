import type { Redis } from 'ioredis';
import type { Wakeups } from '#libs/engine';
import type { Answers } from '../answers.js';
import { LISTENER_HOLDS_S, ListenerMarks } from '../listener-marks.js';
import { Listeners } from '../listeners.js';
import type { ReportFault } from '../queue-backend.js';
import {
  decodeDelta,
  decodeRun,
  decodeRuns,
  encodeDelta,
  encodeRun,
  encodeRuns,
  type Delta,
} from '../wakeup-messages.js';

const PROGRESS_MS = 1;

/** Wake-ups over publish/subscribe. A publication that fails is reported and lost, as the port allows. */
export class RedisWakeups implements Wakeups {
  private readonly cancels: Listeners<string>;
  private readonly progress: Listeners<string>;
  private readonly crowds: Listeners<void>;
  private readonly deltas: Listeners<Delta>;
  private readonly marks: ListenerMarks;
  private readonly progressed = new Set<string>();
  private isPublishing = false;
  private readonly handlers = new Map<string, (message: string) => void>();

  constructor(
    private readonly commands: Redis,
    private readonly subscriber: Redis,
    private readonly prefix: string,
    private readonly answers: Answers,
    private readonly reportFault: ReportFault,
  ) {
    this.cancels = new Listeners('cancel', reportFault);
    this.progress = new Listeners('progress', reportFault);
    this.crowds = new Listeners('crowded', reportFault);
    this.deltas = new Listeners('deltas', reportFault);
    this.marks = new ListenerMarks(
      {
        mark: async (name) => {
          await answers.within('note a listener', () =>
            commands.set(this.listening(name), '1', 'EX', LISTENER_HOLDS_S),
          );
        },
        isMarked: async (name) =>
          (await answers.within('look for listeners', () => commands.exists(this.listening(name)))) === 1,
      },
      reportFault,
    );
    subscriber.on('message', (channel: string, message: string) => this.receive(channel, message));
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
    if (!this.isPublishing) {
      this.isPublishing = true;
      setTimeout(() => void this.publishProgressed(), PROGRESS_MS);
    }
    return Promise.resolve();
  }

  private async publishProgressed(): Promise<void> {
    while (this.progressed.size > 0) {
      const message = encodeRuns([...this.progressed]);
      this.progressed.clear();
      await this.publish('progress', message);
    }
    this.isPublishing = false;
  }

  publishCrowded(): Promise<void> {
    return this.publish('crowded', '');
  }

  publishDelta(delta: Delta): Promise<void> {
    return this.publish('delta', encodeDelta(delta));
  }

  onCancel(listener: (runId: string) => void): void {
    this.cancels.add(listener);
    this.subscribe('cancel', (message) => this.cancels.emit(decodeRun(message)));
  }

  onProgress(listener: (runId: string) => void): void {
    this.progress.add(listener);
    this.subscribe('progress', (message) => decodeRuns(message).forEach((runId) => this.progress.emit(runId)));
  }

  onCrowded(listener: () => void): void {
    this.crowds.add(listener);
    this.subscribe('crowded', () => this.crowds.emit());
  }

  onDelta(listener: (delta: Delta) => void): void {
    this.deltas.add(listener);
    this.subscribe('delta', (message) => this.deltas.emit(decodeDelta(message)));
  }

  announceListener(projectId: string, streamId: string): Promise<void> {
    return this.marks.announce(projectId, streamId);
  }

  hasListener(projectId: string, streamId: string): Promise<boolean> {
    return this.marks.has(projectId, streamId);
  }

  private listening(name: string): string {
    return `${this.prefix}:listening:${name}`;
  }

  private channel(kind: string): string {
    return `${this.prefix}:wakeup:${kind}`;
  }

  private async publish(kind: string, message: string): Promise<void> {
    try {
      await this.answers.within('publish', () => this.commands.publish(this.channel(kind), message));
    } catch (error) {
      this.reportFault(`a wake-up (${kind}) was lost`, error);
    }
  }

  private subscribe(kind: string, handle: (message: string) => void): void {
    const channel = this.channel(kind);
    if (this.handlers.has(channel)) return;
    this.handlers.set(channel, handle);
    this.subscriber.subscribe(channel).catch((error: unknown) => {
      this.handlers.delete(channel);
      this.reportFault(`subscribing to wake-ups (${kind}) failed`, error);
    });
  }

  private receive(channel: string, message: string): void {
    try {
      this.handlers.get(channel)?.(message);
    } catch (error) {
      this.reportFault(`a wake-up on ${channel} could not be read`, error);
    }
  }
}
