import type { StoredEvent } from '../../../libs/domain/src/index.js';
import type { CommitWatch } from './commit-watch.js';
import type { Deployment } from './deployment.js';

/** The one worker of a deployment, which dies right behind a commit, before it has heard of it; another one follows. */
export class CrashAtCommits {
  /** How many events there were at each commit of a worker that brought some, in order. */
  readonly commits: number[] = [];
  deaths = 0;
  private dieAt = Infinity;
  private streams: readonly string[] = [];
  private reviving: Promise<void> = Promise.resolve();

  constructor(
    private readonly deployment: Deployment,
    private readonly watch: CommitWatch,
  ) {
    watch.onIdle = () => this.look();
  }

  async start(): Promise<void> {
    const [worker] = this.deployment.workers;
    await worker?.start({ DATABASE_URL: this.watch.url });
  }

  /** Counts the events of these streams from now on. `dieAt`: the number at which the worker dies; once, unless `again`. */
  arm(streams: readonly string[], dieAt: number, again: (events: number) => number = () => Infinity): void {
    this.streams = streams;
    this.dieAt = dieAt;
    this.again = again;
    this.commits.length = 0;
  }

  /** Until the next worker is there. */
  async revived(): Promise<void> {
    await this.reviving;
  }

  private again: (events: number) => number = () => Infinity;

  private async look(): Promise<boolean> {
    const [row] = await this.deployment.database.sql<{ events: number }[]>`
      select coalesce(sum(version), 0)::int as events from stream where stream_id = any(${[...this.streams]})`;
    const events = row?.events ?? 0;
    if (events > (this.commits.at(-1) ?? 0)) this.commits.push(events);
    if (events < this.dieAt) return false;
    this.dieAt = this.again(events);
    this.deaths += 1;
    this.reviving = this.replace();
    return true;
  }

  private async replace(): Promise<void> {
    const [worker] = this.deployment.workers;
    await worker?.kill();
    await worker?.launch({ DATABASE_URL: this.watch.url });
  }
}

/** What must be equal to the undisturbed run: the conversation's entries, and the hash of each call's context. */
export function comparable(events: readonly StoredEvent[]): unknown[] {
  const timeless = ({ duration_ms: _duration, ...rest }: Record<string, unknown>): unknown => rest;
  return events.flatMap((event): unknown[] => {
    if (event.entry !== null) return [[event.type, event.entry, timeless(event.data)]];
    return event.type === 'LlmCallStarted' ? [[event.data.call_no, event.data.context_hash]] : [];
  });
}
