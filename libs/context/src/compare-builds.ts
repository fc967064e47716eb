import { canonicalJson, type JsonObject } from '#libs/domain';
import type { BuiltMessage, ReadyBuild } from './build-result.js';
import { compareRequests } from './common-prefix.js';
import { beforeTailMemory } from './layout.js';
import type { Manifest } from './neutral.js';
import { policyCanonical, readPolicy, type EffectivePolicy } from './policy/index.js';
import { isMedia } from './shape/limit-media.js';
import type { EntryState } from './view/entry.js';
import { baseSchema } from './view/recorded-build.js';

/** Why a request first differs from the one before it where it does. To add one: here, and where it is found below. */
export const DIFFERENCE_CAUSES = [
  'appended',
  'tools_changed',
  'system_prompt_changed',
  'compacted',
  'rolled_back',
  'memory_changed',
  'policy_changed',
  'model_changed',
  'forgotten',
  'masked',
  'shortened',
  'elided',
  'truncated',
  'reasoning_dropped',
  'media_limited',
  'repaired',
] as const;
export type DifferenceCause = (typeof DIFFERENCE_CAUSES)[number];

/** A build with what it was made from. */
export type ComparedBuild = {
  readonly build: ReadyBuild;
  readonly manifest: Manifest;
  /** As handed to the build. */
  readonly memory: JsonObject | null;
};

export type BuildDifference = {
  /** Chars of equal leading parts: tools, system, messages. */
  readonly commonPrefixChars: number;
  /**
   * `at`: index into `build.messages` of the second, its length where it ends earlier; `tools` or `system` in front of
   * them. Null: the requests are the same.
   */
  readonly firstDifference: {
    readonly at: number | 'tools' | 'system';
    readonly cause: DifferenceCause;
  } | null;
};

/** Where a request first differs from the one that was sent before it in the same view, and why. */
export function compareBuilds(before: ComparedBuild, after: ComparedBuild): BuildDifference {
  const { weights } = after.manifest.model;
  const compared = compareRequests(before.build.request, after.build.request, weights);
  const { commonPrefixChars, firstDifference } = compared;
  const sent = before.build.messages.length;
  if (firstDifference !== null)
    return {
      commonPrefixChars,
      firstDifference: { at: firstDifference, cause: causeAt(firstDifference, before, after) },
    };
  const isLonger = after.build.messages.length > sent;
  return { commonPrefixChars, firstDifference: isLonger ? { at: sent, cause: 'appended' } : null };
}

/**
 * In the order of the request: tools, system, summary, memory, tail. Another policy or model lays the tail out anew, so what
 * happened to an entry there happened because of it.
 */
function causeAt(at: number | 'tools' | 'system', before: ComparedBuild, after: ComparedBuild): DifferenceCause {
  if (at === 'tools') return 'tools_changed';
  if (at === 'system') return 'system_prompt_changed';
  if (timesRolledBack(before.build) !== timesRolledBack(after.build)) return 'rolled_back';
  if (before.build.frontier.compaction_id !== after.build.frontier.compaction_id) return 'compacted';
  const policies = [readPolicy(before.manifest.policy), readPolicy(after.manifest.policy)] as const;
  if (hasOtherMemory([before.memory, after.memory], policies)) return 'memory_changed';
  const [old, now] = [before.build.messages[at], after.build.messages[at]];
  const change = changeOf(before.build, after.build);
  if (isGrown(old, now, change)) return 'appended';
  if (policyCanonical(policies[0]) !== policyCanonical(policies[1])) return 'policy_changed';
  if (canonicalJson(before.manifest.model) !== canonicalJson(after.manifest.model)) return 'model_changed';
  return fateOf(old, now, change);
}

const timesRolledBack = ({ report }: ReadyBuild): number => baseSchema.parse(report['base']).rolled_back;

/** Whether `before_tail` shows another memory; where it was and is shown, and as it is shown. */
function hasOtherMemory(
  [old, now]: readonly [JsonObject | null, JsonObject | null],
  [{ memory: oldPolicy }, { memory: policy }]: readonly [EffectivePolicy, EffectivePolicy],
): boolean {
  if (canonicalJson(oldPolicy) !== canonicalJson(policy)) return false;
  return canonicalJson(beforeTailMemory(old, policy)) !== canonicalJson(beforeTailMemory(now, policy));
}

type Change = { readonly before: ReadyBuild; readonly after: ReadyBuild; readonly was: States; readonly is: States };
type States = ReadonlyMap<number, EntryState>;

const changeOf = (before: ReadyBuild, after: ReadyBuild): Change => ({
  before,
  after,
  was: statesOf(before),
  is: statesOf(after),
});

function statesOf({ messages, omitted }: ReadyBuild): States {
  const states = new Map<number, EntryState>();
  for (const { entries, state } of messages) for (const entry of entries) states.set(entry, state);
  for (const { entries, state } of omitted)
    for (let entry = entries[0]; entry <= entries[1]; entry += 1) states.set(entry, state);
  return states;
}

/** A format without two messages of one role in a row: what came since stands in the last message. */
function isGrown(old: BuiltMessage | undefined, now: BuiltMessage | undefined, { was, is }: Change): boolean {
  if (old === undefined || now === undefined || old.synthetic) return false;
  return now.entries.some((entry) => !was.has(entry)) && old.entries.every((entry) => was.get(entry) === is.get(entry));
}

/** What became of the entries behind the message that differs. */
function fateOf(old: BuiltMessage | undefined, now: BuiltMessage | undefined, change: Change): DifferenceCause {
  for (const entry of [...(old?.entries ?? []), ...(now?.entries ?? [])]) {
    const [was, is] = [change.was.get(entry), change.is.get(entry)];
    if (was !== undefined && is !== undefined && was !== is) return causeOfState(is === 'whole' ? was : is, change);
  }
  if (old === undefined || now === undefined || old.synthetic || now.synthetic) return 'repaired';
  if (old.pinned !== now.pinned) return movedBoundary(change);
  if (now.state === 'shortened') return 'shortened';
  const [from, to] = [change.before.frontier.reasoning_from, change.after.frontier.reasoning_from];
  if (now.message.role === 'assistant') return from === to ? 'repaired' : 'reasoning_dropped';
  return mediaIn(now) < mediaIn(old) ? 'media_limited' : 'repaired';
}

const mediaIn = ({ message }: BuiltMessage): number => message.content.filter(isMedia).length;

function causeOfState(state: EntryState, change: Change): DifferenceCause {
  switch (state) {
    case 'forgotten':
    case 'masked':
    case 'shortened':
    case 'elided':
    case 'truncated':
      return state;
    // Under the same summary: a boundary moved, so what was pinned behind the summary is no more, or is now.
    case 'summarised':
      return movedBoundary(change);
    case 'whole':
    case 'before_cutoff':
    case 'other_run':
    case 'repaired_away':
      return 'repaired';
  }
}

function movedBoundary({ before: { frontier: from }, after: { frontier: to } }: Change): DifferenceCause {
  if (from.forget_to !== to.forget_to) return 'forgotten';
  if (from.elided_to !== to.elided_to || from.left_out_to !== to.left_out_to) return 'elided';
  return from.truncated_to === to.truncated_to ? 'repaired' : 'truncated';
}
