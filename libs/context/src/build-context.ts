import type {
  BuildInput,
  BuildResult,
  CompactionProposal,
  OverHardCapBuild,
  ReadyBuild,
  WaitBuild,
} from './build-result.js';
import { buildReport, type Outcome } from './build-report.js';
import { chooseMarks } from './choose-marks.js';
import { truncationMarks } from './choose-truncation.js';
import { knobFor, largestContributors } from './contributors.js';
import type { Draft } from './draft.js';
import { frontierOf, leftBehind, NO_MARKS, withoutOldReasoning } from './frontier.js';
import { descend } from './ladder.js';
import { layOut } from './layout.js';
import { fixedParts } from './measure/fixed-parts.js';
import { budgetChars, firstKeptExchange, isOverBudget, requestSize } from './over-budget.js';
import { prepareBuild, type Build } from './prepare-build.js';
import { proposeCompaction, type ProposalFacts } from './propose-compaction.js';
import { omittedEntries } from './report.js';
import type { Marks } from './stages/stage.js';
import { cacheBreakpoints, requestCanonical, requestOf, shapeDraft } from './request.js';

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
  const build = prepareBuild(input);
  return input.purpose === 'unmanaged' ? unmanaged(build) : settle(build, managed(build));
}

function unmanaged(build: Build): ReadyBuild {
  const { base, parts, input, knobs } = build;
  const layout = layOut(base.cells, parts);
  const { protectedEntries } = knobs;
  const draft = { marks: NO_MARKS, protectedEntries, cells: base.cells, layout, records: [] };
  const caps = { soft: null, hard: null, boundBy: null };
  return ready(build, { draft, shaped: shapeDraft(draft, input.manifest), caps, isOverBudget: false }, null);
}

/**
 * What an admin's request would summarise now: all that may be, whatever back-off and sizes say. Null: nothing that gets
 * shorter lies in front of the last `min_tail_turns`, or the policy has neither `window` nor `budget`.
 */
export function proposeRequested(input: BuildInput): CompactionProposal | null {
  const build = prepareBuild(input);
  return propose(build, managed(build), 'requested', 'requested');
}

/** The request as the stages and the format make it. */
function managed(build: Build): Outcome {
  const { view, policy, start, ratio, draft: draftUnderMarks, capsOf, input } = build;
  const { model } = input.manifest;
  const hasSystem = fixedParts(input.manifest).system !== null;
  return outcomeOf(
    build,
    chooseMarks({ view, policy, model, hasSystem, ratio, start, draft: draftUnderMarks, capsOf }),
  );
}

function outcomeOf(build: Build, draft: Draft): Outcome {
  const { policy, ratio, input, capsOf } = build;
  const size = requestSize(draft, fixedParts(input.manifest).system !== null);
  return {
    draft,
    shaped: shapeDraft(draft, input.manifest),
    caps: capsOf(draft),
    isOverBudget: isOverBudget(policy.budget, size, ratio),
  };
}

/** The budget, then the cap: send it, ask for a summary, wait for one, leave turns out, or go down the ladder. */
function settle(build: Build, first: Outcome): BuildResult {
  const isDropping = first.isOverBudget && budgetTruncation(build, first.draft) !== first.draft.marks;
  const waiting = isDropping ? compress(build, first) : null;
  if (waiting !== null) return waiting;
  const outcome = first.isOverBudget ? truncatedToBudget(build, first) : first;
  const { caps, shaped } = outcome;
  return caps.hard !== null && shaped.chars > caps.hard
    ? overHard(build, outcome, caps.hard)
    : underHard(build, outcome);
}

/** What `budget` would drop is summarised first: the step waits for that, or takes the first rung of the ladder. */
function compress(build: Build, outcome: Outcome): WaitBuild | null {
  const { open } = build.view.compaction;
  if (build.input.purpose === 'managed') {
    if (open !== null && !open.waitExpired) return wait(build, outcome, 'compaction', 'budget', null);
    const proposal = open === null ? propose(build, outcome, 'budget', 'normal') : null;
    if (proposal !== null) return wait(build, outcome, 'compaction', 'budget', proposal);
  }
  const extractive = propose(build, outcome, 'budget', 'extractive');
  return extractive === null ? null : wait(build, outcome, 'extractive', 'budget', extractive);
}

/** Old reasoning goes first: it goes with the prefix anyway. */
function truncatedToBudget(build: Build, { draft }: Outcome): Outcome {
  const bare = withoutOldReasoning(draft.marks, build.view);
  const lighter = bare === draft.marks ? draft : build.draft(bare);
  const marks = budgetTruncation(build, lighter);
  return outcomeOf(build, marks === lighter.marks ? lighter : build.draft(marks));
}

function budgetTruncation({ view, policy, ratio, input }: Build, draft: Draft): Marks {
  const size = requestSize(draft, fixedParts(input.manifest).system !== null);
  return truncationMarks(draft, view, (removed) => {
    const left = { chars: 0, tokens: size.tokens - removed.tokens, items: size.items - removed.items };
    return !isOverBudget(policy.budget, left, ratio);
  });
}

function underHard(build: Build, outcome: Outcome): BuildResult {
  const { caps, shaped } = outcome;
  if (caps.soft === null || shaped.chars <= caps.soft) return ready(build, outcome, null);
  const { open } = build.view.compaction;
  const isBlocking = build.policy.compaction.mode === 'blocking' && build.input.purpose === 'managed';
  if (open !== null)
    return isBlocking && !open.waitExpired
      ? wait(build, outcome, 'compaction', 'blocking', null)
      : ready(build, outcome, null);
  const proposal = propose(build, outcome, 'soft_cap', 'normal');
  return proposal !== null && isBlocking
    ? wait(build, outcome, 'compaction', 'blocking', proposal)
    : ready(build, outcome, proposal);
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
  const last = outcomeOf(build, lowered(build, outcome, hard));
  return last.shaped.chars > (last.caps.hard ?? hard)
    ? exceeded(build, last, last.caps.hard ?? hard)
    : ready(build, last, null);
}

/** Down the rungs of the ladder that need no summary; turns are left out only where a `budget` allows it. */
function lowered(build: Build, { draft, shaped }: Outcome, hard: number): Draft {
  const { view, input, policy } = build;
  const framing = shaped.chars - draft.layout.chars;
  const over = (one: Draft): number => one.layout.chars + framing - (build.capsOf(one).hard ?? hard);
  let lower = descend(draft, view, input.manifest.model, build.draft, over);
  while (policy.budget !== null && over(lower) > 0) {
    const excess = over(lower);
    const marks = truncationMarks(lower, view, ({ chars }) => chars >= excess);
    if (marks === lower.marks) break;
    lower = build.draft(marks);
  }
  return lower;
}

function propose(
  build: Build,
  outcome: Outcome,
  reason: CompactionProposal['reason'],
  need: ProposalFacts['need'],
): CompactionProposal | null {
  const { view, policy, knobs, input, ratio } = build;
  const { draft, caps, shaped, isOverBudget: isOver } = outcome;
  const { window, budget } = policy;
  const isOverCap = need === 'requested' || (caps.hard !== null && shaped.chars > caps.hard);
  return proposeCompaction({
    view,
    cells: draft.cells,
    policy,
    leftBehind: leftBehind(draft.marks, view),
    soft: caps.soft ?? budgetChars(budget, draft, ratio) ?? caps.hard,
    isWindowAsking: window !== null && (isOverCap || (caps.soft !== null && shaped.chars > caps.soft)),
    firstKeptExchange: budget !== null && (isOver || isOverCap) ? firstKeptExchange(view, budget) : null,
    size: shaped.chars,
    summaryChars: draft.layout.summary?.chars ?? 0,
    protectedEntries: knobs.protectedEntries,
    runActive: input.runActive,
    reason,
    need,
  });
}

function wait(
  build: Build,
  outcome: Outcome,
  next: WaitBuild['next'],
  reason: WaitBuild['reason'],
  proposal: CompactionProposal | null,
): WaitBuild {
  const open = next === 'compaction' && proposal === null ? build.view.compaction.open : null;
  return {
    kind: 'wait',
    next,
    reason,
    proposal,
    openCompactionId: open?.id ?? null,
    size: outcome.shaped.chars,
    cap: outcome.caps.hard,
    report: buildReport(build, outcome),
  };
}

function exceeded(build: Build, outcome: Outcome, cap: number): OverHardCapBuild {
  const contributors = largestContributors(outcome.draft.layout, build.input.manifest);
  return {
    kind: 'over_hard_cap',
    size: outcome.shaped.chars,
    cap,
    contributors,
    knob: knobFor(contributors[0], outcome.caps),
    report: buildReport(build, outcome),
  };
}

function ready(build: Build, outcome: Outcome, proposal: CompactionProposal | null): ReadyBuild {
  const { draft, shaped } = outcome;
  const request = requestOf(shaped, build.input.manifest);
  return {
    kind: 'ready',
    request,
    cacheBreakpoints: cacheBreakpoints(draft, shaped),
    frontier: frontierOf(draft.marks, build.view),
    report: buildReport(build, outcome),
    messages: shaped.messages.map(({ built }) => built),
    omitted: omittedEntries(build.view, draft.cells),
    repairs: [...build.view.repairs, ...shaped.repairs],
    chars: shaped.chars,
    tokens: Math.ceil(draft.layout.tokens * build.ratio),
    proposal,
    canonical: requestCanonical(shaped, request),
  };
}
