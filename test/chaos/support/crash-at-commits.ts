import type { StoredEvent } from '../../../libs/domain/src/index.js';
import { CommitWatch } from './commit-watch.js';
import type { Deployment } from './deployment.js';

/** Short, since every death costs a lease. */
export const CRASH_TIMES = { WEIR_LEASE_S: '2', WEIR_HEARTBEAT_S: '0.4', WEIR_SWEEP_S: '0.3' };

type Arming = {
  /** Whose events count. What a worker writes anew after a takeover counts once. */
  readonly streams: readonly string[];
  /** Types that do not count. */
  readonly without?: readonly string[];
  /** How many events there must be at a commit, for the worker to die behind it. */
  readonly dieAt: number;
  /** Behind each further commit that brings some, too. */
  readonly again?: boolean;
};

/** The one worker of a deployment, which dies right behind a commit, before it has heard of it; another one follows. */
export class CrashAtCommits {
  /** How many events there were at each commit of a worker that brought some, in order. */
  readonly commits: number[] = [];
  deaths = 0;
  private arming: Arming = { streams: [], dieAt: Infinity };
  private reviving: Promise<void> = Promise.resolve();

  private constructor(
    private readonly deployment: Deployment,
    private readonly watch: CommitWatch,
  ) {
    watch.onIdle = () => this.look();
  }

  /** Puts the wire before the only worker of a deployment. */
  static async in(deployment: Deployment): Promise<CrashAtCommits> {
    const [worker] = deployment.workers;
    await worker?.terminate();
    const watch = await CommitWatch.before(deployment.postgres.url);
    await worker?.start({ DATABASE_URL: watch.url });
    return new CrashAtCommits(deployment, watch);
  }

  /** Its worker ends with the wire. */
  async close(): Promise<void> {
    const [worker] = this.deployment.workers;
    await worker?.untilReady();
    await worker?.terminate();
    await this.watch.close();
  }

  arm(arming: Arming): void {
    this.arming = arming;
    this.commits.length = 0;
  }

  /** Until the next worker is there. */
  async revived(): Promise<void> {
    await this.reviving;
  }

  private async look(): Promise<boolean> {
    const { streams, without = [] } = this.arming;
    const [row] = await this.deployment.database.sql<{ events: number }[]>`
      select count(distinct (stream_id, type, entry, data->>'call_no', data->>'ordinal'))::int as events
      from event where stream_id = any(${[...streams]}) and type <> all(${[...without]})`;
    const events = row?.events ?? 0;
    if (events > (this.commits.at(-1) ?? 0)) this.commits.push(events);
    if (events < this.arming.dieAt) return false;
    this.arming = { ...this.arming, dieAt: this.arming.again === true ? events + 1 : Infinity };
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
