import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#libs/domain';
import type { Logger, RunningService } from '#libs/platform';

export type ServerSupervision = {
  readonly logger: Logger;
  /** Aborts when everything ends: no more restarts. */
  readonly signal: AbortSignal;
  /** Called when the server died so often that starting it again is pointless. */
  readonly onGivenUp: (error: AppError) => void;
};

/** Starts the server: on this port, or on any free one when there is none yet. */
export type LaunchServer = (port?: number) => Promise<RunningService>;

/** Deaths in a row, each within `longLifeMs` of its start, after which a server is given up. */
const mostRestarts = 5;
const longLifeMs = 30_000;

/**
 * Postgres or Redis as `weir up` brings it. One that dies is started again on its port, with its data: the apps wait for
 * Postgres, and what Redis has lost is dispatched again.
 */
export class SupervisedServer {
  private isStopping = false;
  private supervised: Promise<void> = Promise.resolve();

  private constructor(
    private readonly launch: LaunchServer,
    private current: RunningService,
  ) {}

  /** @throws AppError `service_not_started` and what else starting may throw */
  static async start(launch: LaunchServer): Promise<SupervisedServer> {
    return new SupervisedServer(launch, await launch());
  }

  get url(): string {
    return this.current.url;
  }

  supervise(supervision: ServerSupervision): void {
    this.supervised = this.keepAlive(supervision).catch((cause: unknown) => {
      const text = `${this.current.process.name} ended and could not be started again: ${messageOf(cause)}`;
      supervision.onGivenUp(new AppError('service_died', text, { name: this.current.process.name }, { cause }));
    });
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.current.process.stop();
    await this.supervised;
  }

  private async keepAlive({ logger, signal }: ServerSupervision): Promise<void> {
    const isOver = (): boolean => this.isStopping || signal.aborted;
    for (let restarts = 1; ; restarts += 1) {
      const startedAt = performance.now();
      const { name, exited } = this.current.process;
      const exit = await exited;
      if (isOver()) return;
      if (performance.now() - startedAt > longLifeMs) restarts = 1;
      if (restarts > mostRestarts)
        throw new Error(`it ended ${restarts} times soon after its start; its log tells why`);
      logger.error({ server: name, ...exit, restarts }, 'a server ended unexpectedly: it is started again');
      await delay(250 * restarts);
      if (isOver()) return;
      this.current = await this.again(isOver);
      // `stop` saw only the process before this one.
      if (isOver()) await this.current.process.stop();
    }
  }

  /** What the dead server left (its children, its port) may be in the way for a moment. */
  private async again(isOver: () => boolean): Promise<RunningService> {
    const port = Number(new URL(this.url).port);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.launch(port);
      } catch (error) {
        if (attempt === mostRestarts || isOver()) throw error;
        await delay(500 * attempt);
      }
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
