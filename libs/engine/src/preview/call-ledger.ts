import {
  compareRequests,
  lint,
  type BuildResult,
  type LintOptions,
  type ModelFacts,
  type NeutralRequest,
  type OverHardCapBuild,
  type ReadyBuild,
} from '#libs/context';
import type { StoredEvent } from '#libs/domain';
import { contextHash } from '../context-hash.js';
import type { CallLine, TotalLine } from './call-line.js';

/** One model call with what it sends, and what a build with repair only would send. */
export type LedgerCall = {
  call: number;
  messageIndex: number | null;
  /** Facts of this call's model; the prices are those of `model` of the ledger. */
  model: ModelFacts;
  build: ReadyBuild | OverHardCapBuild;
  unmanaged: ReadyBuild;
  /** The stored answers by entry, to compare reasoning with. */
  answerOf: (entry: number) => Extract<StoredEvent, { type: 'LlmCallCompleted' }> | undefined;
};

/** What a char costs, read from the cache and written to it; weights of what is no text. */
type CachePrices = Pick<ModelFacts, 'cacheReadRatio' | 'cacheWriteRatio' | 'promptCaching' | 'weights'>;

type Sent = { request: NeutralRequest; chars: number };

/**
 * Adds calls up: sizes, and what they cost where the cache never expires and output is free: read × the chars of equal
 * leading parts (tools, system, messages) + write × the rest.
 */
export class CallLedger {
  private last: NeutralRequest | null = null;
  private lastUnmanaged: NeutralRequest | null = null;
  private readonly masked = new Set<number>();
  private readonly sums = {
    calls: 0,
    chars: 0,
    chars_unmanaged: 0,
    tokens: 0,
    over_hard_cap: 0,
    cost: 0,
    cost_unmanaged: 0,
    lint_violations: 0,
  };

  constructor(private readonly model: CachePrices) {}

  add(call: LedgerCall): CallLine {
    const { build, unmanaged } = call;
    const plain = this.price(this.lastUnmanaged, unmanaged);
    this.lastUnmanaged = unmanaged.request;
    this.sums.calls += 1;
    this.sums.chars_unmanaged += unmanaged.chars;
    this.sums.cost_unmanaged += plain.cost;
    return build.kind === 'ready' ? this.addReady(call, build) : this.addOverCap(call);
  }

  total(compactions: number): TotalLine {
    const { calls, chars, chars_unmanaged, tokens, over_hard_cap, cost, cost_unmanaged, lint_violations } = this.sums;
    return {
      event: 'total',
      calls,
      chars,
      chars_unmanaged,
      tokens,
      masked: this.masked.size,
      compactions,
      over_hard_cap,
      cost: rounded(cost),
      cost_unmanaged: rounded(cost_unmanaged),
      lint_violations,
    };
  }

  private addReady({ call, messageIndex, model, unmanaged, answerOf }: LedgerCall, build: ReadyBuild): CallLine {
    const { cost, commonPrefixChars } = this.price(this.last, build);
    const violations = lint(build.request, model.apiFormat, lintOptions(model, build, answerOf));
    const masked = entriesIn(build, 'masked');
    const left = leftOut(build);
    this.last = build.request;
    for (const entry of masked) this.masked.add(entry);
    this.sums.chars += build.chars;
    this.sums.tokens += build.tokens;
    this.sums.cost += cost;
    this.sums.lint_violations += violations.length;
    return {
      event: 'call',
      call,
      message_index: messageIndex,
      outcome: 'ready',
      messages: build.messages.length,
      chars: build.chars,
      chars_unmanaged: unmanaged.chars,
      tokens: build.tokens,
      masked: masked.length,
      ...left,
      context_hash: contextHash(build),
      common_prefix_chars: commonPrefixChars,
      cost: rounded(cost),
      lint: violations,
    };
  }

  private addOverCap({ call, messageIndex, unmanaged }: LedgerCall): CallLine {
    this.sums.over_hard_cap += 1;
    return {
      event: 'call',
      call,
      message_index: messageIndex,
      outcome: 'over_hard_cap',
      messages: 0,
      chars: 0,
      chars_unmanaged: unmanaged.chars,
      tokens: 0,
      masked: 0,
      omitted: 0,
      compacted: 0,
      context_hash: null,
      common_prefix_chars: 0,
      cost: 0,
      lint: [],
    };
  }

  private price(before: NeutralRequest | null, now: Sent): { cost: number; commonPrefixChars: number } {
    const { cacheReadRatio, cacheWriteRatio, promptCaching, weights } = this.model;
    const commonPrefixChars = before === null ? 0 : compareRequests(before, now.request, weights).commonPrefixChars;
    if (!promptCaching) return { cost: now.chars, commonPrefixChars };
    return {
      cost: cacheReadRatio * commonPrefixChars + cacheWriteRatio * (now.chars - commonPrefixChars),
      commonPrefixChars,
    };
  }
}

/** @throws TypeError when it is not: a build with repair only is always ready. */
export function readyUnmanaged(build: BuildResult): ReadyBuild {
  if (build.kind === 'ready') return build;
  throw new TypeError(`a build with repair only ended as ${build.kind}`);
}

/** Entries whose message is in that state; a message may hold several. */
function entriesIn(build: ReadyBuild, state: string): number[] {
  return build.messages.flatMap((message) => (message.state === state ? message.entries : []));
}

function leftOut(build: ReadyBuild): { omitted: number; compacted: number } {
  let omitted = 0;
  let compacted = 0;
  for (const { entries, state } of build.omitted) {
    const count = entries[1] - entries[0] + 1;
    if (state === 'summarised') compacted += count;
    else omitted += count;
  }
  return { omitted, compacted };
}

function lintOptions(model: ModelFacts, build: ReadyBuild, answerOf: LedgerCall['answerOf']): LintOptions {
  const { id, images, documents } = model;
  const answers = build.messages.flatMap(({ message, entries }, index) => {
    const entry = entries[0];
    const answer =
      message.role === 'assistant' && entries.length === 1 && entry !== undefined ? answerOf(entry) : undefined;
    return answer === undefined ? [] : [{ index, model: answer.data.model, content: answer.data.message.content }];
  });
  return { model: { id, images, documents }, answers };
}

/** Ratios like 0.1 leave traces in sums of whole numbers. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
