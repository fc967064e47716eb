import type { Redis } from 'ioredis';
import type { Answers } from '../answers.js';
import type { WakeupChannels, WakeupKind } from '../channel-wakeups.js';
import { LISTENER_HOLDS_S } from '../listener-marks.js';
import type { ReportFault } from '../queue-backend.js';

/** Wake-ups by publish/subscribe; marks are keys that expire. The subscriber subscribes again whenever it has reconnected. */
export class RedisChannels implements WakeupChannels {
  readonly deltaChars = Number.POSITIVE_INFINITY;
  private readonly receivers = new Map<string, (message: string) => void>();

  /** The clients belong to the caller. */
  constructor(
    private readonly commands: Redis,
    private readonly subscriber: Redis,
    private readonly prefix: string,
    private readonly answers: Answers,
    private readonly reportFault: ReportFault,
  ) {
    subscriber.on('message', (channel: string, message: string) => this.receivers.get(channel)?.(message));
  }

  send(kind: WakeupKind, message: string): Promise<unknown> {
    return this.answers.within('publish', () => this.commands.publish(this.channel(kind), message));
  }

  listen(kind: WakeupKind, receive: (message: string) => void): void {
    const channel = this.channel(kind);
    this.receivers.set(channel, receive);
    this.subscriber
      .subscribe(channel)
      .catch((error: unknown) => this.reportFault(`subscribing to wake-ups (${kind}) failed`, error));
  }

  async mark(name: string): Promise<void> {
    await this.answers.within('note a listener', () =>
      this.commands.set(this.listening(name), '1', 'EX', LISTENER_HOLDS_S),
    );
  }

  async isMarked(name: string): Promise<boolean> {
    const found = await this.answers.within('look for listeners', () => this.commands.exists(this.listening(name)));
    return found === 1;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private listening(name: string): string {
    return `${this.prefix}:listening:${name}`;
  }

  private channel(kind: string): string {
    return `${this.prefix}:wakeup:${kind}`;
  }
}
