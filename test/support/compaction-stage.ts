import { subStreamId, type Json, type StoredEvent, type StoredEventOf } from '../../libs/domain/src/index.js';
import {
  requestStreamCompaction,
  runCompactionJob,
  type CompactionRecord,
  type EngineDeps,
} from '../../libs/engine/src/index.js';
import type { ScriptedReply } from '../../libs/models/src/index.js';
import { PROJECT, type EngineHarness } from './engine-harness.js';

const LOREM = 'lorem ipsum dolor ';

/** A long answer that says which it is. */
export const longAnswer = (n: number | string, chars = 1_500): string =>
  `Answer ${n}. ${LOREM.repeat(Math.ceil(chars / LOREM.length)).slice(0, chars)}`;

export const logOf = (name: string): string => subStreamId(name, 'work', null);

/**
 * Pipelines with small caps, each with a model of its own and a summariser (`scripted:<name>-sum`), and one stream of the
 * same name: five long answers pass the soft cap.
 */
export class CompactionStage {
  constructor(readonly harness: EngineHarness) {}

  async apply(name: string, compaction: { [key: string]: Json } = {}): Promise<void> {
    this.harness.scripts.set(name, { steps: { work: [{ text: longAnswer(0) }] }, after_last: 'repeat' });
    await this.harness.apply({
      name,
      inputs: { text: { type: 'string', required: true } },
      defaults: { model: `scripted:${name}`, retry: { max_attempts: 1 } },
      context: {
        window: { observation_window: 2, soft_cap_chars: 6_000, hard_cap_chars: 60_000, min_tail_turns: 1 },
        compaction: { mode: 'async', model: `scripted:${name}-sum`, max_summary_chars: 1_000, ...compaction },
      },
      agents: { helper: { system_prompt: 'Help.', tools: [] } },
      steps: [{ id: 'work', agent: 'helper', task: '${inputs.text}' }],
    });
  }

  async turn(name: string, n: number | string): Promise<void> {
    await this.harness.start(name, { text: `question ${n}` }, { streamId: name });
    await this.harness.queue.drain(this.harness.deps, { compactions: false });
  }

  async turns(name: string, from: number, to: number): Promise<void> {
    for (let n = from; n <= to; n += 1) await this.turn(name, n);
  }

  summarises(name: string, reply: ScriptedReply): void {
    this.harness.scripts.set(`${name}-sum`, { replies: [reply], after_last: 'repeat' });
  }

  /** Runs the compactions that are due, retries included, without waiting for their back-off. */
  async compactAll(deps: EngineDeps = this.harness.deps): Promise<void> {
    const { queue, database } = this.harness;
    for (;;) {
      await database.run((sql) => sql`update compaction set due_at = now() where ended_at is null`);
      const jobs = [...queue.compactions.splice(0), ...(await deps.compactions.takeRunnableCompactions(10))];
      if (jobs.length === 0) return;
      for (const job of jobs) await runCompactionJob(deps, job);
    }
  }

  async ends(name: string): Promise<StoredEvent[]> {
    const events = await this.harness.events(logOf(name));
    return events.filter(({ type }) => /^(ContextCompacted|Compaction(Skipped|Discarded|Failed))$/.test(type));
  }

  async compacted(name: string): Promise<StoredEventOf<'ContextCompacted'>> {
    const end = (await this.ends(name)).at(-1);
    if (end?.type !== 'ContextCompacted') throw new Error(`the last compaction of ${name} ended in ${end?.type}`);
    return end;
  }

  async rowOf(compactionId: string): Promise<CompactionRecord> {
    const row = await this.harness.deps.compactions.getCompaction(PROJECT, compactionId);
    if (row === null) throw new Error(`compaction ${compactionId} has no row`);
    return row;
  }

  /** As an admin does, whatever back-off says. */
  async request(name: string): Promise<void> {
    const target = { projectId: PROJECT, streamId: name, stepId: 'work', item: null, runId: null, minTailTurns: null };
    const result = await requestStreamCompaction(this.harness.deps, target);
    if (result.status !== 'requested') throw new Error(`the request was refused: ${result.status}`);
  }

  /** Calls of the summariser. */
  calls(name: string): number {
    return this.harness.scripts.calls(`${name}-sum`).length;
  }
}
