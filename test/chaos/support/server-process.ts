import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startEmbeddedPostgres, startPrivateRedis, type RunningService } from '../../../libs/platform/src/index.js';

/** A server that a scenario stops and starts again: the same data, the same address. */
export class ServerProcess {
  private constructor(
    private readonly launch: (port: number | undefined) => Promise<RunningService>,
    private current: RunningService,
  ) {}

  static async postgres(options: Parameters<typeof startEmbeddedPostgres>[0]): Promise<ServerProcess> {
    return ServerProcess.start((port) =>
      startEmbeddedPostgres({ ...options, ...(port === undefined ? {} : { port }) }),
    );
  }

  static async redis(options: Parameters<typeof startPrivateRedis>[0]): Promise<ServerProcess> {
    return ServerProcess.start((port) => startPrivateRedis({ ...options, ...(port === undefined ? {} : { port }) }));
  }

  private static async start(launch: ServerProcess['launch']): Promise<ServerProcess> {
    return new ServerProcess(launch, await launch(undefined));
  }

  get url(): string {
    return this.current.url;
  }

  get pid(): number {
    return this.current.pid;
  }

  async start(): Promise<void> {
    this.current = await this.launch(Number(new URL(this.url).port));
  }

  async stop(): Promise<void> {
    await this.current.process.stop();
  }

  async kill(): Promise<void> {
    process.kill(this.pid, 'SIGKILL');
    await this.current.process.exited;
  }

  /** It and its children stand still: its sockets stay open, nothing answers, nothing is refused. */
  async pause(): Promise<void> {
    // The parent first: after that it has no new children.
    process.kill(this.pid, 'SIGSTOP');
    for (const child of await childrenOf(this.pid)) process.kill(child, 'SIGSTOP');
  }

  async resume(): Promise<void> {
    for (const child of await childrenOf(this.pid)) process.kill(child, 'SIGCONT');
    process.kill(this.pid, 'SIGCONT');
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []));
}
