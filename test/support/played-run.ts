import { AsyncLocalStorage } from 'node:async_hooks';
import { isEndedRun, type JsonObject } from '../../libs/domain/src/index.js';
import {
  cancelRun,
  decideApproval,
  pauseRun,
  pollCancels,
  relay,
  resumeRun,
  retryRun,
  runStepJob,
  sendSignal,
  sweep,
  wakeDue,
  type EngineDeps,
  type RunRecord,
  type StepJob,
} from '../../libs/engine/src/index.js';
import { crashingWorker, WorkerDied } from './crashing-worker.js';
import { PROJECT, type EngineHarness } from './engine-harness.js';
import { WatchedRuns } from './watched-runs.js';

export type FailureClass = 'overloaded' | 'invalid_request' | 'rate_limited';
type Reply = { text: string } | { tool_calls: { name: string }[] } | { failure: { class: FailureClass } };

/** A job in the hands of a worker, which waits for the model's answer or has ended. */
type Execution = {
  job: StepJob;
  deps: EngineDeps;
  kill: () => void;
  answer: ((reply: Reply) => void) | null;
  ended: Promise<void>;
  hasEnded: boolean;
};

const executing = new AsyncLocalStorage<{ asked: (answer: (reply: Reply) => void) => void }>();

/** The model `scripted:drawn`: each call waits for the test's answer, or for the abort of its worker. */
export function askTheTest(harness: EngineHarness): void {
  harness.scripts.set('drawn', ({ signal }) => {
    const execution = executing.getStore();
    if (execution === undefined) return Promise.resolve<Reply>({ text: 'nobody asked' });
    return new Promise<Reply>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      execution.asked(resolve);
    });
  });
}

/** A run and what it starts, played by the test on as many workers as it likes, watched law by law (decide-next.ts). */
export class PlayedRun {
  readonly executions: Execution[] = [];
  private readonly watched: WatchedRuns;
  private readonly delivered: StepJob[] = [];

  private constructor(
    private readonly harness: EngineHarness,
    readonly runId: string,
  ) {
    this.watched = new WatchedRuns(harness);
  }

  /** `document`: of a pipeline that is called `drawn`. */
  static async start(harness: EngineHarness, document: JsonObject): Promise<PlayedRun> {
    await harness.apply(document);
    harness.queue.steps.splice(0);
    return new PlayedRun(harness, await harness.start('drawn', {}));
  }

  get waitingJobs(): readonly StepJob[] {
    return this.harness.queue.steps;
  }

  get underWay(): readonly Execution[] {
    return this.executions.filter(({ hasEnded }) => !hasEnded);
  }

  /** A worker takes a job and comes as far as the model's call, or to the end. */
  async work(job: StepJob): Promise<void> {
    this.delivered.push(job);
    const worker = crashingWorker(this.harness.secondWorker(), null);
    let asked = (): void => undefined;
    const reached = new Promise<void>((resolve) => (asked = resolve));
    const execution: Execution = { ...worker, job, answer: null, hasEnded: false, ended: Promise.resolve() };
    const note = {
      asked: (answer: (reply: Reply) => void) => {
        execution.answer = answer;
        asked();
      },
    };
    execution.ended = executing
      .run(note, () => runStepJob(worker.deps, job))
      .catch((error: unknown) => {
        if (!(error instanceof WorkerDied)) throw error;
      })
      .finally(() => {
        execution.hasEnded = true;
      });
    this.executions.push(execution);
    await soon(Promise.race([reached, execution.ended]), `the model's call or the end of ${job.stepRunId}`);
  }

  async take(at: number): Promise<void> {
    const jobs = this.harness.queue.steps;
    const [job] = jobs.length === 0 ? [] : jobs.splice(at % jobs.length, 1);
    if (job !== undefined) await this.work(job);
  }

  async redeliver(at: number): Promise<void> {
    const job = this.delivered[at % Math.max(1, this.delivered.length)];
    if (job !== undefined) await this.work(job);
  }

  /** The model of the nth execution under way answers; waits until its worker has asked again or ended. */
  async answer(at: number, reply: Reply): Promise<void> {
    const execution = this.pick(at);
    if (execution === null) return;
    const again = new Promise<void>((resolve) => {
      const { answer } = execution;
      execution.answer = null;
      answer?.(reply);
      const check = setInterval(() => {
        if (execution.answer === null && !execution.hasEnded) return;
        clearInterval(check);
        resolve();
      }, 1);
    });
    await soon(again, `what follows the answer to ${execution.job.stepRunId}`);
    if (execution.hasEnded) await execution.ended;
  }

  kill(at: number): void {
    const execution = this.pick(at);
    if (execution === null) return;
    execution.kill();
    execution.hasEnded = true;
    execution.answer?.({ text: 'said to a dead worker' });
  }

  async drain(at: number): Promise<void> {
    this.pick(at)?.deps.held.drain();
    await this.answer(at, { tool_calls: [{ name: 'now' }] });
  }

  /** The nth lease runs out although its worker lives, and the sweeper sees it first. */
  async expire(at: number): Promise<void> {
    const { job } = this.pick(at) ?? {};
    if (job === undefined) return;
    await this.sql(
      (sql) =>
        sql`update step_run set lease_until = now() - interval '1 second' where status = 'running' and step_run_id = ${job.stepRunId}`,
    );
    await sweep(this.harness.deps);
  }

  /** All workers die at once. */
  async loseLeases(): Promise<void> {
    for (const execution of this.underWay) execution.kill();
    await this.sql(
      (sql) => sql`update step_run set lease_until = now() - interval '1 second' where status = 'running'`,
    );
    await sweep(this.harness.deps);
  }

  async loseQueue(): Promise<void> {
    this.harness.queue.steps.splice(0);
    await this.sql(
      (sql) => sql`update step_run set dispatched_at = dispatched_at - interval '1 minute' where status = 'queued'`,
    );
  }

  async timePasses(): Promise<void> {
    await this.sql(
      (sql) =>
        sql`update wait set due_at = now() - interval '1 second' where due_at is not null and step_run_id in (select step_run_id from step_run where status = 'waiting')`,
    );
    await this.sql(
      (sql) =>
        sql`update step_run set due_at = now() - interval '1 second' where status = 'waiting' and due_at is not null`,
    );
    await wakeDue(this.harness.deps);
  }

  async sweep(): Promise<void> {
    await sweep(this.harness.deps);
    await relay(this.harness.deps);
  }

  async cancel(): Promise<void> {
    await cancelRun(this.harness.deps, { ...this.at, reason: 'the test' });
    // The poll behind the published cancel.
    for (const { deps } of this.underWay) await pollCancels(deps).catch(() => undefined);
  }

  async timeOut(): Promise<void> {
    await this.sql(
      (sql) =>
        sql`update run set timeout_at = now() - interval '1 second' where run_id = ${this.runId} and ended_at is null and started_at is not null`,
    );
    await sweep(this.harness.deps);
  }

  async pause(): Promise<void> {
    await pauseRun(this.harness.deps, { ...this.at, reason: null });
  }

  async resume(): Promise<void> {
    await resumeRun(this.harness.deps, { ...this.at, spendLimit: null });
  }

  async retry(): Promise<boolean> {
    return (await retryRun(this.harness.deps, { ...this.at, version: 'pinned' })).status === 'retried';
  }

  async signal(): Promise<void> {
    await sendSignal(this.harness.deps, { projectId: PROJECT, name: 'go', key: this.runId, payload: 1 });
  }

  async decide(at: number, decision: 'approve' | 'deny'): Promise<void> {
    const rows = await this.sql(
      (sql) =>
        sql<
          { approval_id: string }[]
        >`select approval_id from approval where status = 'pending' and run_id = ${this.runId} order by approval_id`,
    );
    const approvalId = rows[at % Math.max(1, rows.length)]?.approval_id;
    if (approvalId === undefined) return;
    const said = { form: null, comment: null, arguments: null, decidedBy: 'key_test' };
    await decideApproval(this.harness.deps, { projectId: PROJECT, approvalId, decision, ...said });
  }

  /** Everything is answered, decided, sent and woken, every worker that hangs replaced: the run must end. */
  async settle(): Promise<RunRecord> {
    for (let turn = 0; turn < 60; turn += 1) {
      const run = await this.harness.runRecord(this.runId);
      if (isEndedRun(run.status) && !(await this.all()).some(({ status }) => !isEndedRun(status))) return run;
      await this.resume();
      await this.signal();
      await this.decide(0, 'approve');
      while (this.underWay.length > 0) await this.answer(0, { text: 'done' });
      await this.timePasses();
      await this.loseLeases();
      await this.sweep();
      while (this.harness.queue.steps.length > 0) await this.take(0);
    }
    throw new Error(`the run does not end: ${JSON.stringify(await this.harness.runRecord(this.runId))}`);
  }

  /** Ends what still hangs in this process. */
  async end(): Promise<void> {
    for (const execution of this.executions) {
      execution.kill();
      execution.answer?.({ text: 'over' });
    }
    await soon(Promise.all(this.executions.map(({ ended }) => ended)), 'the end of what still hung');
  }

  /** The laws, of the run and of every run that it started. */
  async look(): Promise<void> {
    for (const run of await this.all()) await this.watched.look(run);
  }

  private async all(): Promise<RunRecord[]> {
    const rows = await this.sql(
      (sql) =>
        sql<
          { run_id: string }[]
        >`select run_id from run where run_id = ${this.runId} or ancestors @> array[${this.runId}] order by created_at`,
    );
    return Promise.all(rows.map((row) => this.harness.runRecord(row.run_id)));
  }

  private pick(at: number): Execution | null {
    const { underWay } = this;
    return underWay[at % Math.max(1, underWay.length)] ?? null;
  }

  private get at(): { projectId: string; runId: string } {
    return { projectId: PROJECT, runId: this.runId };
  }

  private sql: EngineHarness['database']['run'] = (work) => this.harness.database.run(work);
}

/** Nothing of a sequence may hang: what does says so, so that the sequence can be shrunk. */
async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within a minute`)), 60_000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
