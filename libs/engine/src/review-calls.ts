import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildContext, KnownForms, readPolicy, type BuildResult, type Manifest, type ReadyBuild } from '#libs/context';
import type { JsonObject, StoredEvent, StoredEventOf } from '#libs/domain';
import type { EngineDeps } from './engine-deps.js';
import { findManifest } from './manifest.js';
import { readMemory } from './memory.js';
import { CallLedger, readyUnmanaged } from './preview/call-ledger.js';
import type { CallLine, TotalLine } from './preview/call-line.js';
import { verdictOf, type RebuildVerdict } from './rebuild.js';

/** A recorded call, built again. `line` is null where nothing can be built any more. */
export type ReviewedCall = {
  runId: string | null;
  callNo: number;
  try: number;
  attempt: number;
  buildMs: number | null;
  seq: number;
  verdict: RebuildVerdict;
  /** As recorded; null: nothing was sent. */
  contextHash: string | null;
  line: CallLine | null;
};

export type Review = { calls: ReviewedCall[]; total: TotalLine | null };

type ReviewDeps = Pick<EngineDeps, 'log'>;
export type ReviewQuestion = { projectId: string; rootStream: string; subStream: string };

/** How the runs of a step began, as the stream tells: their fixed numbers, and which attempt was under way when. */
type Begun = {
  cutoffSeq: number;
  memorySeq: number;
  attempts: { position: number; attempt: number }[];
  manifest: string | null;
};

/**
 * Builds every recorded call of a sub-stream again from its events, in one pass: whether its bytes are those of its
 * `context_hash`, what the linter says of it, and what it cost beside a build with repair only.
 */
export async function reviewCalls(deps: ReviewDeps, question: ReviewQuestion): Promise<Review> {
  const { projectId, rootStream, subStream } = question;
  const events = await deps.log.read({ projectId, streamId: subStream });
  const begun = begunRuns(
    await deps.log.read({ projectId, streamId: rootStream, types: ['StepStarted'] }),
    subStream,
    rootStream,
  );
  const pass = new ReviewPass(deps, question, events, begun);
  for (const event of events) {
    if (event.type === 'LlmCallStarted') await pass.review(event);
    else if (event.type === 'HardCapExceeded') await pass.overCap(event);
  }
  return pass.result();
}

function begunRuns(starts: readonly StoredEvent[], subStream: string, rootStream: string): Map<string, Begun> {
  const runs = new Map<string, Begun>();
  for (const event of starts) {
    if (event.type !== 'StepStarted' || event.runId === null) continue;
    const place = `${rootStream}:step:${event.stepId ?? ''}${event.item === null ? '' : `:item:${event.item}`}`;
    if (place !== subStream) continue;
    const { cutoff_seq: cutoffSeq, memory_seq: memorySeq, manifest, attempt } = event.data;
    const known = runs.get(event.runId) ?? {
      cutoffSeq: cutoffSeq ?? 0,
      memorySeq: memorySeq ?? 0,
      attempts: [],
      manifest,
    };
    known.attempts.push({ position: event.position, attempt });
    runs.set(event.runId, known);
  }
  return runs;
}

/** The calls so far of one pass. */
class ReviewPass {
  private readonly known = new KnownForms();
  private readonly calls: ReviewedCall[] = [];
  private readonly manifests = new Map<string, Manifest | 'erased' | 'corrupt'>();
  private readonly memories = new Map<number, JsonObject>();
  private readonly answers = new Map<number, StoredEventOf<'LlmCallCompleted'>>();
  private ledger: CallLedger | null = null;

  constructor(
    private readonly deps: ReviewDeps,
    private readonly question: ReviewQuestion,
    private readonly events: readonly StoredEvent[],
    private readonly begun: ReadonlyMap<string, Begun>,
  ) {
    for (const event of events)
      if (event.type === 'LlmCallCompleted' && event.entry !== null) this.answers.set(event.entry, event);
  }

  async review(started: StoredEventOf<'LlmCallStarted'>): Promise<void> {
    await nextTurn();
    const manifest = await this.manifest(started.data.manifest);
    const { call_no: callNo, try: tryNo, build_ms: buildMs = null } = started.data;
    const place = {
      contextHash: started.data.context_hash,
      runId: started.runId,
      callNo,
      try: tryNo,
      attempt: this.attemptAt(started),
      buildMs,
      seq: started.seq,
    };
    if (typeof manifest === 'string') return void this.calls.push({ ...place, verdict: manifest, line: null });
    const uptoSeq = started.data.upto_seq;
    const policyHash = started.data.policy_hash;
    const build = await this.build(started, manifest, { uptoSeq, policyHash, purpose: 'managed' });
    const unmanaged = readyUnmanaged(
      await this.build(started, manifest, { uptoSeq, policyHash, purpose: 'unmanaged' }),
    );
    const line = build.kind === 'ready' ? this.line(manifest, build, unmanaged) : null;
    this.calls.push({ ...place, verdict: verdictOf(build, started, manifest), line });
  }

  /** A call that was not sent. */
  async overCap(event: StoredEventOf<'HardCapExceeded'>): Promise<void> {
    const begun = event.runId === null ? undefined : this.begun.get(event.runId);
    const manifest = begun?.manifest == null ? 'erased' : await this.manifest(begun.manifest);
    if (typeof manifest === 'string') return;
    const at = { uptoSeq: event.seq - 1, policyHash: '' };
    const unmanaged = readyUnmanaged(await this.build(event, manifest, { ...at, purpose: 'unmanaged' }));
    const build = await this.build(event, manifest, { ...at, purpose: 'no_wait' });
    const place = {
      contextHash: null,
      runId: event.runId,
      callNo: 0,
      try: 1,
      attempt: this.attemptAt(event),
      buildMs: null,
      seq: event.seq,
    };
    const line = build.kind === 'over_hard_cap' ? this.line(manifest, build, unmanaged) : null;
    if (line !== null) this.calls.push({ ...place, verdict: 'equal', line });
  }

  result(): Review {
    const applied = this.events.filter((event) => event.type === 'ContextCompacted').length;
    return { calls: this.calls, total: this.ledger?.total(applied) ?? null };
  }

  private line(manifest: Manifest, build: Exclude<BuildResult, { kind: 'wait' }>, unmanaged: ReadyBuild): CallLine {
    this.ledger ??= new CallLedger(manifest.model);
    const call = this.calls.length + 1;
    const answerOf = (entry: number) => this.answers.get(entry);
    return this.ledger.add({ call, messageIndex: null, model: manifest.model, build, unmanaged, answerOf });
  }

  private async build(
    { runId }: StoredEvent,
    manifest: Manifest,
    at: { uptoSeq: number; policyHash: string; purpose: 'managed' | 'unmanaged' | 'no_wait' },
  ): Promise<BuildResult> {
    const policy = readPolicy(manifest.policy);
    const begun = runId === null ? undefined : this.begun.get(runId);
    const view = { mode: policy.mode, runId, cutoffSeq: begun?.cutoffSeq ?? null };
    const memory = policy.memory.placement === 'before_tail' ? await this.memory(begun?.memorySeq ?? 0) : null;
    return buildContext({ events: this.events, known: this.known, view, manifest, memory, runActive: true, ...at });
  }

  private async manifest(hash: string): Promise<Manifest | 'erased' | 'corrupt'> {
    const known = this.manifests.get(hash);
    if (known !== undefined) return known;
    const read = await findManifest(this.deps, this.question.projectId, hash);
    this.manifests.set(hash, read);
    return read;
  }

  private async memory(uptoSeq: number): Promise<JsonObject> {
    const known = this.memories.get(uptoSeq);
    if (known !== undefined) return known;
    const { projectId, rootStream } = this.question;
    const read = await readMemory(this.deps.log, projectId, rootStream, uptoSeq);
    this.memories.set(uptoSeq, read);
    return read;
  }

  private attemptAt({ runId, position }: StoredEvent): number {
    const starts = runId === null ? [] : (this.begun.get(runId)?.attempts ?? []);
    return starts.findLast((start) => start.position < position)?.attempt ?? 1;
  }
}
