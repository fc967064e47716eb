import type { EncodedJob } from './jobs.js';

type Waiting = { jobs: readonly EncodedJob[]; resolve: () => void; reject: (error: unknown) => void };

/** Jobs that are pushed in the same turn of the event loop, by code that comes as far in it, go to the queue in one command. */
export class GatheredPushes {
  private waiting: Waiting[] = [];

  constructor(private readonly pushAll: (jobs: EncodedJob[]) => Promise<unknown>) {}

  push(jobs: readonly EncodedJob[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ jobs, resolve, reject });
      if (this.waiting.length === 1) queueMicrotask(() => void this.leave());
    });
  }

  private async leave(): Promise<void> {
    const gathered = this.waiting.splice(0);
    try {
      await this.pushAll(gathered.flatMap(({ jobs }) => jobs));
      for (const { resolve } of gathered) resolve();
    } catch (error) {
      for (const { reject } of gathered) reject(error);
    }
  }
}
