import type { Redis } from 'ioredis';
import type { QueueEpoch } from '#libs/engine';
import type { Answers } from '../answers.js';

/** One key without expiry: it is gone exactly when Redis lost its data. */
export class RedisEpoch implements QueueEpoch {
  constructor(
    private readonly commands: Redis,
    private readonly prefix: string,
    private readonly answers: Answers,
  ) {}

  read(): Promise<string | null> {
    return this.answers.within('read its epoch', () => this.commands.get(this.key()));
  }

  async write(epoch: string): Promise<void> {
    await this.answers.within('store its epoch', () => this.commands.set(this.key(), epoch));
  }

  private key(): string {
    return `${this.prefix}:epoch`;
  }
}
