import type { Frontier, JsonObject, ViewEvent } from '#libs/domain';
import type { CacheBreakpoint, JsonReport, Manifest, NeutralMessage, NeutralRequest } from './neutral.js';
import type { KnownForms } from './measure/measured-item.js';
import type { Repair } from './shape/conversation.js';
import type { EntryState, ShownState } from './view/entry.js';

/** The events that a step may see: `inherit` all of its sub-stream, `fresh` those of its run after the cutoff. */
export type ViewSpec = {
  readonly mode: 'inherit' | 'fresh';
  /** The run that builds. */
  readonly runId: string | null;
  /** Seq in the sub-stream; read in `fresh` only, null counts as 0. */
  readonly cutoffSeq: number | null;
};

export type BuildInput = {
  /** The sub-stream's events in order of seq, to `uptoSeq` (later ones are ignored). Either from the first one, or what `neededEvents` asks for. */
  readonly events: readonly ViewEvent[];
  readonly view: ViewSpec;
  readonly manifest: Manifest;
  /** The engine's hash of `policyCanonical(manifest.policy)`; another one than the last call's makes the frontier anew. */
  readonly policyHash: string;
  /** Memory as of `StepStarted.memory_seq`; shown only with `placement: before_tail`. Null or empty: none. */
  readonly memory: JsonObject | null;
  readonly uptoSeq: number;
  /** The run still goes on: its newest turn is not summarised while it is open. */
  readonly runActive: boolean;
  /**
   * `managed`: the policy applies. `unmanaged`: repair only (chars_unmanaged, cost_unmanaged). `no_wait`: as managed, but
   * goes down the ladder where it would wait (the provider refused the request as too long, or a caller cannot wait).
   */
  readonly purpose: 'managed' | 'unmanaged' | 'no_wait';
  /** What earlier builds of these events worked out, kept by whoever holds the events; changes how long a build takes, nothing else. */
  readonly known?: KnownForms;
};

export type BuiltMessage = {
  readonly message: NeutralMessage;
  /** Every entry that it was made of. */
  readonly entries: readonly number[];
  readonly state: ShownState;
  readonly pinned: boolean;
  readonly synthetic: boolean;
  readonly chars: number;
};

/** What is not in the request: `entries` inclusive [first, last], `chars` of them whole. */
export type Omitted = {
  readonly entries: readonly [number, number];
  readonly state: EntryState;
  readonly chars: number;
};

export type CompactionProposal = {
  /** Seqs, inclusive; begins at the first event of the view. */
  readonly range: readonly [number, number];
  /** Entries, inclusive. */
  readonly entries: readonly [number, number];
  /** The compaction whose range is extended; its summary is given to the compactor. */
  readonly supersedes: string | null;
  readonly reason: 'soft_cap' | 'hard_cap' | 'budget' | 'ladder' | 'requested';
  /** Null for `inherit`, else the run whose fresh view it is. */
  readonly viewRunId: string | null;
  readonly cutoffSeq: number;
  /** B: bound of the summary, its appendix included, in chars. */
  readonly maxSummaryChars: number;
  /** Shown chars of the range now; a summary must be shorter. */
  readonly charsBefore: number;
  /** What the request measures at most once the summary is applied. */
  readonly projectedChars: number;
};

/** One of the five largest parts of a request that is over the cap. */
export type Contributor = {
  readonly kind: string;
  readonly entry: number | null;
  readonly name: string | null;
  readonly chars: number;
};

export type ReadyBuild = {
  readonly kind: 'ready';
  readonly request: NeutralRequest;
  readonly cacheBreakpoints: readonly CacheBreakpoint[];
  readonly frontier: Frontier;
  /** As in api.md (`…/calls/{n}/context`), plus `base` for the next build; goes into `LlmCallStarted.report`. */
  readonly report: JsonReport;
  readonly messages: readonly BuiltMessage[];
  readonly omitted: readonly Omitted[];
  readonly repairs: readonly Repair[];
  readonly chars: number;
  readonly tokens: number;
  /** To append as `CompactionRequested` beside the call; null: none. */
  readonly proposal: CompactionProposal | null;
  /**
   * Canonical JSON of {system, messages, tools} in pieces; `context_hash` is the SHA-256 of all of it. Putting a long one together
   * takes longer than hashing it.
   */
  readonly canonical: readonly string[];
};

export type WaitBuild = {
  readonly kind: 'wait';
  /**
   * `compaction`: append the proposal if there is one (else `openCompactionId` is under way), give the slot back, build again
   * when it ended. `extractive`: first rung of the ladder; write the `builtin:extractive` summary of the proposal now, then build again.
   */
  readonly next: 'compaction' | 'extractive';
  readonly reason: 'over_hard_cap' | 'blocking' | 'budget';
  readonly proposal: CompactionProposal | null;
  readonly openCompactionId: string | null;
  readonly size: number;
  readonly cap: number | null;
  readonly report: JsonReport;
};

export type OverHardCapBuild = {
  readonly kind: 'over_hard_cap';
  readonly size: number;
  readonly cap: number;
  readonly contributors: readonly Contributor[];
  /** What the author can turn, as a sentence. */
  readonly knob: string;
  readonly report: JsonReport;
};

export type BuildResult = ReadyBuild | WaitBuild | OverHardCapBuild;
