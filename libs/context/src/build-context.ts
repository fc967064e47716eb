import type { StoredEvent } from '#libs/domain';
import type { BuildInput, BuildResult, CompactionProposal, OverHardCapBuild, ReadyBuild, WaitBuild } from './build-result.js';
import type { Caps } from './caps.js';
import { capsOfDraft, chooseMarks } from './choose-marks.js';
import { expectedPrefix } from './common-prefix.js';
import { knobFor, largestContributors } from './contributors.js';
import { draftUnder, type Draft } from './draft.js';
import { factsKey, frontierOf, frontierStart, NO_MARKS, type FrontierStart } from './frontier.js';
import { descend } from './ladder.js';
import { layOut, layoutParts, type LayoutParts } from './layout.js';
import { fixedParts } from './measure/fixed-parts.js';
import { tokenRatios } from './measure/token-ratio.js';
import { readPolicy, type EffectivePolicy } from './policy/index.js';
import { firstEntry, originalBefore, proposeCompaction, rangeTurns, type ProposalFacts } from './propose-compaction.js';
import { pinnedSoFar, protectedEntries } from './protected-entries.js';
import { omittedEntries, reportOf } from './report.js';
import { cacheBreakpoints, requestCanonical, requestOf, shapeDraft, type ShapedDraft } from './request.js';
import { everything } from './stages/select.js';
import { cellsChars, type Knobs, type Marks, type StageView } from './stages/stage.js';
import { readView, type View } from './view/read-view.js';
import type { RecordedBase } from './view/recorded-build.js';

/** Everything that the steps of one build read; nothing of it changes. */
type Build = {
  readonly input: BuildInput;
  readonly view: View;
  readonly policy: EffectivePolicy;
  readonly base: StageView;
  readonly knobs: Omit<Knobs, 'marks'>;
  readonly parts: LayoutParts;
  readonly start: FrontierStart;
  readonly ratios: { readonly [model: string]: number };
  readonly ratio: number;
  readonly draft: (marks: Marks) => Draft;
  readonly capsOf: (draft: Draft) => Caps;
};
type Outcome = { readonly draft: Draft; readonly shaped: ShapedDraft; readonly caps: Caps };

/**
 * Stored events in, the messages that a model sees out. Pure: no clock, no ids, no IO; the same input gives the same bytes.
 *
 * Laws (design/context.md; property tests in *.laws.spec.ts): C1 the linter finds nothing, or a typed outcome · C2 each call has
 * exactly one adjacent result · C3 task and last user message byte-equal · C4 each entry in exactly one state · C5 same input,
 * same bytes · C6 a build is a prefix of the next unless frontier, summary, repair, policy or model facts changed · C7 size ≤
 * the effective hard cap · C8 strings well-formed · C9 a compaction twice changes nothing · C10 usage is summed over all calls
 * (the engine's) · C11 incremental = full · C12 the last min_tail_turns are not summarised · C13 masking and forgetting are
 * idempotent and never lengthen · C14 after a compaction the size is at most what was projected · C15 fresh = the run's own
 * suffix · C16 the input is never changed.
 * @throws ZodError when `manifest.policy` is no effective policy.
 */
export function buildContext(input: BuildInput): BuildResult {
  const build = prepare(input);
  if (input.purpose === 'unmanaged') {
    const draft = { marks: NO_MARKS, cells: build.base.cells, layout: layOut(build.base.cells, build.parts), records: [] };
    return ready(build, { draft, shaped: shapeDraft(draft, input.manifest), caps: { soft: null, hard: null, boundBy: null } }, null);
  }
  const draft = chooseMarks({ view: build.view, policy: build.policy, model: input.manifest.model, start: build.start, draft: build.draft, capsOf: build.capsOf });
  return settle(build, { draft, shaped: shapeDraft(draft, input.manifest), caps: build.capsOf(draft) });
}

/**
 * What an admin's request would summarise now: all that may be, whatever back-off and sizes say. Null: nothing that gets
 * shorter lies in front of the last `min_tail_turns`, or the policy has no `window`.
 */
export function proposeRequested(input: BuildInput): CompactionProposal | null {
  const build = prepare(input);
  const draft = chooseMarks({ view: build.view, policy: build.policy, model: input.manifest.model, start: build.start, draft: build.draft, capsOf: build.capsOf });
  return propose(build, { draft, shaped: shapeDraft(draft, input.manifest), caps: build.capsOf(draft) }, 'requested', 'requested');
}

function prepare(input: BuildInput): Build {
  const { manifest } = input;
  const policy = readPolicy(manifest.policy);
  const seen = input.events.filter((event) => event.seq <= input.uptoSeq);
  const view = readView(seen, input.view);
  const knobs = { policy, model: manifest.model, protectedEntries: protectedEntries(view) };
  const live = input.purpose === 'unmanaged' ? null : view.compaction.live;
  const parts = layoutParts(manifest, live, input.memory, policy.memory);
  const base = everything(view, manifest.model, policy.memory.max_value_chars);
  const start = frontierStart(view, input.policyHash, manifest.model);
  const ratios = tokenRatios(view);
  const ratio = ratios[manifest.model.id] ?? manifest.model.tokenRatio;
  return {
    input,
    view,
    policy,
    base,
    knobs,
    parts,
    start,
    ratios,
    ratio,
    draft: (marks) => draftUnder(marks, base, { ...knobs, protectedEntries: new Set([...knobs.protectedEntries, ...pinnedSoFar(view, start, marks)]) }, parts),
    capsOf: capsOfDraft(policy, manifest.model, ratio, refusedChars(seen, view)),
  };
}

/** Chars of the view's last request if the provider found it too long. */
function refusedChars(seen: readonly StoredEvent[], view: View): number | null {
  const { last } = view;
  if (last === null) return null;
  const isRefused = seen.some((event) => event.seq > last.seq && event.type === 'LlmCallFailed' && event.data.class === 'context_overflow');
  return isRefused ? last.chars : null;
}

/** The cap: send it, ask for a summary, wait for one, or go down the ladder. */
function settle(build: Build, outcome: Outcome): BuildResult {
  const { caps, shaped } = outcome;
  if (caps.hard !== null && shaped.chars > caps.hard) return overHard(build, outcome, caps.hard);
  if (caps.soft === null || shaped.chars <= caps.soft) return ready(build, outcome, null);
  const { open } = build.view.compaction;
  const isBlocking = build.policy.compaction.mode === 'blocking' && build.input.purpose === 'managed';
  if (open !== null) return isBlocking && !open.waitExpired ? wait(build, outcome, 'compaction', 'blocking', null) : ready(build, outcome, null);
  const proposal = propose(build, outcome, 'soft_cap', 'normal');
  return proposal !== null && isBlocking ? wait(build, outcome, 'compaction', 'blocking', proposal) : ready(build, outcome, proposal);
}

function overHard(build: Build, outcome: Outcome, hard: number): BuildResult {
  const { open } = build.view.compaction;
  if (build.input.purpose === 'managed') {
    if (open !== null && !open.waitExpired) return wait(build, outcome, 'compaction', 'over_hard_cap', null);
    const proposal = open === null ? propose(build, outcome, 'hard_cap', 'urgent') : null;
    if (proposal !== null) return wait(build, outcome, 'compaction', 'over_hard_cap', proposal);
  }
  const extractive = propose(build, outcome, 'hard_cap', 'extractive');
  if (extractive !== null) return wait(build, outcome, 'extractive', 'over_hard_cap', extractive);
  const { draft, shaped } = outcome;
  const framing = shaped.chars - draft.layout.chars;
  const model = build.input.manifest.model;
  const lower = descend(draft, build.view, model, build.draft, (one) => one.layout.chars + framing - (build.capsOf(one).hard ?? hard));
  const last: Outcome = { draft: lower, shaped: shapeDraft(lower, build.input.manifest), caps: build.capsOf(lower) };
  return last.shaped.chars > (last.caps.hard ?? hard) ? exceeded(build, last, last.caps.hard ?? hard) : ready(build, last, null);
}

function propose(build: Build, outcome: Outcome, reason: CompactionProposal['reason'], need: ProposalFacts['need']): CompactionProposal | null {
  const { view, policy, knobs, input } = build;
  const { draft, caps, shaped } = outcome;
  if (policy.window === null || caps.soft === null) return null;
  return proposeCompaction({
    view,
    cells: draft.cells,
    policy,
    window: policy.window,
    soft: caps.soft,
    size: shaped.chars,
    summaryChars: draft.layout.summary?.chars ?? 0,
    protectedEntries: knobs.protectedEntries,
    runActive: input.runActive,
    reason,
    need,
  });
}

function wait(build: Build, outcome: Outcome, next: WaitBuild['next'], reason: WaitBuild['reason'], proposal: CompactionProposal | null): WaitBuild {
  const open = next === 'compaction' && proposal === null ? build.view.compaction.open : null;
  return { kind: 'wait', next, reason, proposal, openCompactionId: open?.id ?? null, size: outcome.shaped.chars, cap: outcome.caps.hard, report: report(build, outcome) };
}

function exceeded(build: Build, outcome: Outcome, cap: number): OverHardCapBuild {
  const contributors = largestContributors(outcome.draft.layout, build.input.manifest);
  return { kind: 'over_hard_cap', size: outcome.shaped.chars, cap, contributors, knob: knobFor(contributors[0], outcome.caps), report: report(build, outcome) };
}

function ready(build: Build, outcome: Outcome, proposal: CompactionProposal | null): ReadyBuild {
  const { draft, shaped } = outcome;
  const request = requestOf(shaped, build.input.manifest);
  return {
    kind: 'ready',
    request,
    cacheBreakpoints: cacheBreakpoints(draft, shaped),
    frontier: frontierOf(draft.marks, build.view),
    report: report(build, outcome),
    messages: shaped.messages,
    omitted: omittedEntries(build.view, draft.cells),
    repairs: [...build.view.repairs, ...shaped.repairs],
    chars: shaped.chars,
    tokens: Math.ceil(draft.layout.tokens * build.ratio),
    proposal,
    canonical: requestCanonical(request),
  };
}

function report(build: Build, { draft, shaped, caps }: Outcome): ReadyBuild['report'] {
  const { view, input, ratio } = build;
  const fixed = fixedParts(input.manifest);
  const hasPrevious = view.last !== null && input.purpose !== 'unmanaged';
  const prefix = hasPrevious ? expectedPrefix(draft.marks === build.start.marks ? draft : build.draft(build.start.marks), draft, view, fixed) : { chars: 0, tokens: 0 };
  const isCached = input.manifest.model.promptCaching && view.last?.model === input.manifest.model.id;
  const base = baseOf(build, draft);
  return reportOf({
    draft,
    caps,
    chars: shaped.chars,
    charsUnmanaged: build.parts.fixedChars + base.unmanaged_chars,
    tokens: Math.ceil(draft.layout.tokens * ratio),
    tokenRatio: ratio,
    prefix: { chars: prefix.chars, tokens: isCached ? Math.floor(prefix.tokens * ratio) : 0 },
    repairs: [...view.repairs, ...shaped.repairs],
    base,
  });
}

function baseOf(build: Build, draft: Draft): RecordedBase {
  const { view, base, input } = build;
  const { marks } = draft;
  const shown = draft.cells.filter((cell) => cell.shown !== null && cell.entry.source.seq !== null);
  const boundary = Math.max(marks.forgetTo, view.compaction.live?.entries[1] ?? 0);
  const isOld = (entry: number | null): boolean => entry !== null && entry < boundary;
  const seqs = shown.flatMap(({ entry: { source } }) => (source.seq === null ? [] : [{ seq: source.seq, isOld: isOld(source.entry) }]));
  return {
    view: view.key,
    head: fixedParts(input.manifest).key,
    facts: factsKey(input.manifest.model),
    turns: view.turnCount,
    users: view.userCount,
    original_chars: originalBefore({ view, cells: draft.cells }) + draft.cells.reduce((sum, { entry: { source }, state }) => sum + (source.seq === null || state === 'repaired_away' ? 0 : source.chars), 0),
    unmanaged_chars: unmanagedBefore(view, base) + cellsChars(base.cells),
    range_turns: rangeTurns(view),
    first_entry: firstEntry(view),
    token_ratios: { ...build.ratios },
    raw_tokens: draft.layout.tokens,
    shortening: marks.shortening === null ? null : { min_chars: marks.shortening.minChars, to: marks.shortening.to },
    needs_from: seqs.reduce((least, one) => (one.isOld ? least : Math.min(least, one.seq)), input.uptoSeq + 1),
    pinned: draft.cells.flatMap(({ entry, pinned }) => (pinned && entry.source.entry !== null ? [entry.source.entry] : [])),
    pinned_seqs: seqs.flatMap((one) => (one.isOld ? [one.seq] : [])),
    rolled_back: view.compaction.rolledBack.length,
  };
}

/** Chars of messages in front of the events at hand in a build with repair only. */
function unmanagedBefore(view: View, base: StageView): number {
  const { last } = view;
  if (last === null) return 0;
  const known = base.cells.reduce((sum, cell) => (isSentBefore(cell.entry.source, last.uptoSeq, view) ? sum + (cell.shown?.chars ?? 0) : sum), 0);
  return Math.max(0, last.base.unmanaged_chars - known);
}

function isSentBefore(source: View['entries'][number]['source'], uptoSeq: number, view: View): boolean {
  const seq = source.seq ?? (source.kind === 'result' ? view.eventOf.get(source.call.entry)?.seq : undefined);
  return seq !== undefined && seq <= uptoSeq;
}
