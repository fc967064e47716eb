import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, type Exit, type Guard, type ManagedProcess } from '../../../libs/platform/src/index.js';
import { waitFor } from '../../support/index.js';

export type AppPlan = {
  readonly name: string;
  readonly app: 'api' | 'worker' | 'compactor';
  readonly port: number;
  readonly logs: string;
  readonly env: Readonly<Record<string, string>>;
};

const root = fileURLToPath(new URL('../../../', import.meta.url));
const READY_MS = 60_000;
/** Longer than any drain time of a scenario: who needs it has hung. */
const END_MS = 40_000;

/** One app as the process that `weir up` starts, on a port that it keeps over its lives. Nobody starts it again but the test. */
export class AppProcess {
  /** Ends that nobody asked for: it crashed. A SIGKILL is somebody's deed. */
  readonly crashes: Exit[] = [];
  private current: ManagedProcess | null = null;
  private isEnding = false;

  constructor(
    private readonly plan: AppPlan,
    private readonly guard: Guard,
  ) {}

  get name(): string {
    return this.plan.name;
  }

  get url(): string {
    return `http://127.0.0.1:${this.plan.port}`;
  }

  get logFile(): string {
    return join(this.plan.logs, `${this.plan.name}.log`);
  }

  get isRunning(): boolean {
    return this.current !== null && !this.current.hasExited();
  }

  get pid(): number {
    return this.running().pid;
  }

  get exited(): Promise<Exit> {
    return this.running().exited;
  }

  /** Starts it and goes on; `env` changes what the plan says, for this life. */
  async launch(env: Readonly<Record<string, string>> = {}): Promise<void> {
    if (this.isRunning) throw new Error(`${this.name} runs already`);
    const { app, port, name } = this.plan;
    const own = app === 'api' ? { WEIR_PORT: String(port) } : { WEIR_HEALTH_PORT: String(port), WEIR_WORKER_ID: name };
    this.current = await startProcess({
      name,
      command: process.execPath,
      args: ['--enable-source-maps', join(root, `dist/apps/${app}/src/main.js`)],
      // As `weir up` starts it: without what npm and jest tell their own children.
      env: { ...process.env, NODE_OPTIONS: undefined, NODE_ENV: undefined, ...this.plan.env, ...own, ...env },
      cwd: this.plan.logs,
      output: { file: this.logFile, append: true },
      guard: this.guard,
      stopWith: [
        { signal: 'SIGTERM', afterMs: 0 },
        { signal: 'SIGKILL', afterMs: END_MS },
      ],
      orphanedWith: [{ signal: 'SIGKILL', afterMs: 0 }],
    });
    this.isEnding = false;
    void this.current.exited.then((exit) => {
      if (!this.isEnding && exit.signal !== 'SIGKILL') this.crashes.push(exit);
    });
  }

  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.launch(env);
    await this.untilReady();
  }

  async untilReady(): Promise<void> {
    await waitFor(
      async () => {
        if (!this.isRunning) return 'ended';
        return (await fetch(`${this.url}/health/ready`, { signal: AbortSignal.timeout(5_000) })).ok ? 'ready' : null;
      },
      { what: `${this.name} to be ready`, timeoutMs: READY_MS, everyMs: 50 },
    ).then((state) => {
      if (state === 'ended') throw new Error(`${this.name} ended before it was ready; its log is ${this.logFile}`);
    });
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  async kill(): Promise<void> {
    const { exited } = this.running();
    this.signal('SIGKILL');
    await exited;
  }

  /** SIGTERM, and its end in order: another exit code than 0 is a fault. */
  async terminate(): Promise<void> {
    this.isEnding = true;
    const exit = await this.running().stop();
    if (exit.code !== 0) throw new Error(`${this.name} ended with ${exit.signal ?? exit.code} after SIGTERM`);
  }

  private running(): ManagedProcess {
    if (this.current === null || this.current.hasExited()) throw new Error(`${this.name} does not run`);
    return this.current;
  }
}
