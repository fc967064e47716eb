import { isEndedRun, isEndedStep, type StoredEvent } from '../../libs/domain/src/index.js';
import { RunWatcher } from '../../libs/domain/src/testing/run-watcher.js';
import { loadDefinition, type RunRecord, type StepRunRecord } from '../../libs/engine/src/index.js';
import { PROJECT, type EngineHarness } from './engine-harness.js';
import { expectExplained } from './explained.js';
import { expectProjectionsEqualEvents } from './projections.js';

type Dispatched = { stepRunId: string; dispatchNo: number };

/** Looks at runs of a database law by law (decide-next.ts): what was written since the last look, and where they stand now. */
export class WatchedRuns {
  private readonly watchers = new Map<string, { watcher: RunWatcher; seen: number }>();

  constructor(private readonly harness: EngineHarness) {}

  async look(run: RunRecord): Promise<void> {
    await this.watch(run);
    await expectProjectionsEqualEvents(this.harness, run.runId);
    await this.expectNextActor(run);
    await expectExplained(this.harness, run.runId);
  }

  private async watch(run: RunRecord): Promise<void> {
    const events = (await this.harness.events(run.streamId)).filter((event) => event.runId === run.runId);
    const watched = this.watchers.get(run.runId) ?? { watcher: new RunWatcher(await this.definitionOf(run)), seen: 0 };
    this.watchers.set(run.runId, watched);
    for (const batch of byTransaction(events.slice(watched.seen))) watched.watcher.see(batch);
    watched.seen = events.length;
  }

  private definitionOf(run: RunRecord) {
    return loadDefinition(this.harness.deps, PROJECT, run.pipeline, run.pipelineVersion);
  }

  /** S12: what has not ended is in line, in the queue, leased, or waits for something that is stored. */
  private async expectNextActor(run: RunRecord): Promise<void> {
    if (isEndedRun(run.status)) return;
    if (run.status === 'queued') return expect(['stream_busy', 'concurrency', 'delayed']).toContain(run.statusReason);
    const { deps, queue, database } = this.harness;
    const steps = (await deps.runs.stepRunsOf(PROJECT, run.runId)).filter(({ status }) => !isEndedStep(status));
    // The sweeper would find what is dispatched and not in the queue.
    const dispatched = [...queue.steps, ...(await deps.runs.findDispatched(-1_000, 1_000))];
    const rows = await database.run((sql) => sql<{ step_run_id: string }[]>`select step_run_id from wait`);
    const waiting = new Set(rows.map((row) => row.step_run_id));
    for (const step of steps)
      if (!hasActor(step, { steps, dispatched, waiting })) throw new Error(`S12: nobody moves ${JSON.stringify(step)}`);
  }
}

type Around = { steps: readonly StepRunRecord[]; dispatched: readonly Dispatched[]; waiting: ReadonlySet<string> };

function hasActor(step: StepRunRecord, { steps, dispatched, waiting }: Around): boolean {
  const isOwn = (job: Dispatched): boolean => job.stepRunId === step.stepRunId && job.dispatchNo === step.dispatchNo;
  if (step.status === 'queued') return step.dispatchedAt === null || dispatched.some(isOwn);
  // Behind another retried step, which moves it when it ends.
  if (step.status === 'pending') return steps.some(({ status }) => status !== 'pending');
  if (step.status === 'running') return step.leaseUntil !== null && step.workerId !== null;
  if (step.kind === 'for_each' || step.kind === 'repeat') return steps.some((other) => other !== step);
  return step.reason === 'paused' || waiting.has(step.stepRunId);
}

function byTransaction(events: readonly StoredEvent[]): StoredEvent[][] {
  const batches: StoredEvent[][] = [];
  let last: string | undefined;
  for (const event of events) {
    const [xact] = event.cursor.split('-');
    if (xact !== last) batches.push([]);
    batches.at(-1)?.push(event);
    last = xact;
  }
  return batches;
}
