import { KnownForms } from '../measure/measured-item.js';
import {
  type AssistantPart,
  type Content,
  type EventData,
  type EventType,
  type JsonObject,
  type StoredEvent,
  type ViewEvent,
} from '#libs/domain';
import { buildContext } from '../build-context.js';
import type { BuildResult, CompactionProposal, ReadyBuild, ViewSpec } from '../build-result.js';
import { entryChars, type EventBody } from '../measure/entry-chars.js';
import { textKey } from '../measure/text-key.js';
import type { Manifest, ModelFacts } from '../neutral.js';
import { effectivePolicy, policyCanonical, policyJson, type EffectivePolicy } from '../policy/index.js';
import { repairConversation } from '../shape/index.js';
import { buildSummary, extractiveSummary, summaryTextRoom } from '../summary/index.js';
import { compactionState } from '../view/compaction-state.js';
import { EventLog } from './event-log.js';

export const testModel = (facts: Partial<ModelFacts> = {}): ModelFacts => ({
  id: 'test:model',
  apiFormat: 'openai_chat',
  windowTokens: null,
  maxOutputTokens: null,
  promptCaching: true,
  cacheReadRatio: 0.1,
  cacheWriteRatio: 1.25,
  priceInput: null,
  priceCachedInput: null,
  priceCacheWrite: null,
  priceOutput: null,
  images: true,
  documents: true,
  tokenRatio: 1,
  weights: { imageChars: 6_000, imageTokens: 1_600, pageChars: 9_000, pageTokens: 2_500 },
  ...facts,
});

export const testManifest = (
  policy: EffectivePolicy,
  model: ModelFacts = testModel(),
  rest: Partial<Manifest> = {},
): Manifest => ({
  policy: policyJson(policy),
  system_prompt: 'You are a test.',
  tools: [],
  primary_arguments: {},
  model,
  builder_version: 'test',
  ...rest,
});

const policyHashes = new WeakMap<EffectivePolicy, string>();

/** A policy with this window, whose compactions are waited for. */
export const windowPolicy = (
  window: { [field: string]: number | string | null },
  compaction: { [field: string]: number | string } = {},
): EffectivePolicy => effectivePolicy({ step: { window, compaction: { mode: 'blocking', ...compaction } } }, false);

export const sessionUnder = (policy: EffectivePolicy, facts: Partial<ModelFacts> = {}): Session =>
  new Session(testManifest(policy, testModel(facts)), policy);

/** A sub-stream that grows, and the builds over it: what the engine does around `buildContext`, without a store. */
export class Session {
  readonly known = new KnownForms();
  readonly log = new EventLog();
  private compactions = 0;
  private calls = 0;

  constructor(
    public manifest: Manifest,
    public policy: EffectivePolicy,
    public view: ViewSpec = { mode: 'inherit', runId: 'run_1', cutoffSeq: null },
  ) {}

  get policyHash(): string {
    const found = policyHashes.get(this.policy) ?? textKey(policyCanonical(this.policy));
    policyHashes.set(this.policy, found);
    return found;
  }

  get events(): readonly StoredEvent[] {
    return this.log.events;
  }

  append<T extends EventType>(type: T, data: EventData<T>, runId: string | null = this.view.runId): this {
    this.log.append(type, data, entryChars({ type, data } as EventBody), { runId });
    deepFreeze(this.log.events.at(-1));
    return this;
  }

  user(content: Content, origin: 'task' | 'user' = 'task'): this {
    return this.append('UserMessageReceived', { origin, content });
  }

  build(
    purpose: 'managed' | 'unmanaged' | 'no_wait' = 'managed',
    events: readonly ViewEvent[] = this.events,
    memory: JsonObject | null = null,
    runActive = true,
  ): BuildResult {
    return buildContext({
      events,
      view: this.view,
      manifest: this.manifest,
      policyHash: this.policyHash,
      memory,
      uptoSeq: this.events.length,
      runActive,
      purpose,
      known: this.known,
    });
  }

  /** The number of the last call; also of the one whose answer is appended next. */
  get callNo(): number {
    return this.calls;
  }

  /** What a new run does: numbers begin anew, `fresh` sees nothing older. */
  begin(mode: ViewSpec['mode'], runId: string): this {
    this.calls = 0;
    this.view = { mode, runId, cutoffSeq: mode === 'fresh' ? this.events.length : null };
    return this;
  }

  follow(policy: EffectivePolicy, model: ModelFacts): this {
    this.policy = policy;
    this.manifest = { ...this.manifest, policy: policyJson(policy), model };
    return this;
  }

  /** Appends the start of a call that sends this build. */
  started(build: ReadyBuild): this {
    this.calls += 1;
    return this.append('LlmCallStarted', {
      call_no: this.calls,
      try: 1,
      model: this.manifest.model.id,
      message_count: build.messages.length,
      approx_context_chars: build.chars,
      approx_context_tokens: build.tokens,
      upto_seq: this.events.length,
      policy_hash: this.policyHash,
      context_hash: textKey(build.canonical.join('')),
      manifest: 'manifest',
      frontier: build.frontier,
      report: build.report,
      tool_choice: 'auto',
    });
  }

  requested(proposal: CompactionProposal): string {
    this.compactions += 1;
    const id = `cmp_${this.compactions}`;
    this.append('CompactionRequested', {
      compaction_id: id,
      view_run_id: proposal.viewRunId,
      cutoff_seq: proposal.cutoffSeq,
      range: [...proposal.range],
      entries: [...proposal.entries],
      supersedes: proposal.supersedes,
      reason: proposal.reason,
      policy_hash: '',
      manifest: 'manifest',
      max_summary_chars: proposal.maxSummaryChars,
    });
    return id;
  }

  compacted(id: string, proposal: CompactionProposal, summary: string, extractive = true): this {
    return this.append('ContextCompacted', {
      compaction_id: id,
      view_run_id: proposal.viewRunId,
      cutoff_seq: proposal.cutoffSeq,
      replaces_seq_range: [...proposal.range],
      entries: [...proposal.entries],
      supersedes: proposal.supersedes,
      summary,
      chars_before: proposal.charsBefore,
      chars_after: [...summary].length,
      bytes_saved: 0,
      source_digest: '',
      model: extractive ? 'builtin:extractive' : 'test:summary',
      extractive,
      usage: null,
      cost_usd: null,
      policy_hash: '',
    });
  }

  /** One model call as a blocking step makes it, its answer, and a result for each call (null: none is recorded). */
  turn(
    say: string,
    results: readonly (Content | null)[] = [],
    options: { name?: string; args?: string; status?: 'ok' | 'error'; thinking?: string; usage?: number } = {},
  ): this {
    const build = this.settled();
    if (build.kind !== 'ready') throw new Error(`the build is ${build.kind}`);
    this.started(build);
    const { name = 'read', args = '{"path":"a.ts"}', status = 'ok', thinking, usage } = options;
    const content: AssistantPart[] = [
      ...(thinking === undefined ? [] : [{ type: 'thinking' as const, text: thinking, signature: 'c2ln' }]),
      ...(say === '' ? [] : [{ type: 'text' as const, text: say }]),
    ];
    this.append('LlmCallCompleted', {
      call_no: this.calls,
      try: 1,
      model: this.manifest.model.id,
      message: {
        content,
        tool_calls: results.map((_, ordinal) => ({ id: `call_${ordinal}`, name, arguments: args })),
      },
      finish_reason: results.length > 0 ? 'tool_calls' : 'stop',
      usage:
        usage === undefined ? null : { input_tokens: usage, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 1 },
      cost_usd: null,
      wire_hash: null,
    });
    results.forEach((result, ordinal) => {
      if (result !== null)
        this.append('ToolCallCompleted', {
          call_no: this.calls,
          ordinal,
          tool_call_id: `call_${ordinal}`,
          name,
          status,
          content: result,
          argument: 'a.ts',
        });
    });
    return this;
  }

  /** The build that goes out now. */
  ready(): ReadyBuild {
    const build = this.settled();
    if (build.kind !== 'ready') throw new Error(`the build is ${build.kind}`);
    return build;
  }

  /** The extractive summary of a proposal, as the compactor makes it. */
  extractive(proposal: CompactionProposal): string {
    const live = compactionState(this.events, this.view).live;
    const range = this.events.filter((event) => event.seq >= proposal.range[0] && event.seq <= proposal.range[1]);
    const { entries } = repairConversation(range);
    const fresh = entries.filter((entry) => (entry.seq ?? Infinity) > (live?.range[1] ?? 0));
    const text = extractiveSummary({
      entries: fresh,
      previousSummary: live?.summary ?? null,
      asOf: proposal.entries[1],
      maxChars: summaryTextRoom(proposal.maxSummaryChars, entries),
    });
    return buildSummary({ text, entries, previousSummary: live?.summary ?? null, maxChars: proposal.maxSummaryChars });
  }

  /** Builds as a blocking step does: summaries are there before it goes on. */
  settled(): Exclude<BuildResult, { kind: 'wait' }> {
    for (;;) {
      const build = this.build();
      if (build.kind !== 'wait') return build;
      if (build.proposal === null) throw new Error('a wait without a proposal');
      this.compacted(this.requested(build.proposal), build.proposal, this.extractive(build.proposal));
    }
  }
}

/** Law C16: a build that changed its input would throw. */
function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
}
