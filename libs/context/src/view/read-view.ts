import type { ViewEvent } from '#libs/domain';
import type { ViewSpec } from '../build-result.js';
import { repairConversation, type AssistantEntry, type ConversationEntry, type Repair } from '../shape/index.js';
import { compactionState, type CompactionState } from './compaction-state.js';
import type { Entry, EntryState, LeadEntry, Turn } from './entry.js';
import { readRecordedBuild, type RecordedBuild } from './recorded-build.js';
import { recordedCompactions } from './record-compaction.js';
import { isInView, viewKey } from './view-key.js';

/** An entry that is in no request of this view, whatever the policy. */
export type Excluded = {
  readonly entry: number;
  readonly state: Extract<EntryState, 'before_cutoff' | 'other_run' | 'repaired_away'>;
  readonly chars: number;
};

/** The events of a sub-stream as one step may see them. */
export type View = {
  readonly spec: ViewSpec;
  readonly key: string;
  readonly events: readonly ViewEvent[];
  readonly eventOf: ReadonlyMap<number, ViewEvent>;
  /** In the order in which they are shown: results directly behind their answer. */
  readonly entries: readonly Entry[];
  readonly turns: readonly Turn[];
  /** Complete turns and user messages of the whole view, also where `events` begin later. */
  readonly turnCount: number;
  readonly userCount: number;
  /** Turns of the view in front of the first one in `turns`. */
  readonly turnsBefore: number;
  readonly excluded: readonly Excluded[];
  readonly repairs: readonly Repair[];
  readonly compaction: CompactionState;
  readonly last: RecordedBuild | null;
};

/** `events` in order of seq: from the first one, or what `neededEvents` asks for. */
export function readView(events: readonly ViewEvent[], spec: ViewSpec): View {
  const seen = events.filter((event) => isInView(spec, event));
  const { entries: conversation, leftOut, repairs } = repairConversation(seen);
  const last = lastBuildOf(seen, spec);
  const eventOf = new Map<number, ViewEvent>();
  for (const event of events) if (event.entry !== null) eventOf.set(event.entry, event);
  const known = knownBefore(conversation, last);
  const { entries, turns } = groupTurns(conversation, known.turns, known.users, lastInterruption(seen));
  const away = leftOut.map(({ entry }): Excluded => ({
    entry,
    state: 'repaired_away',
    chars: eventOf.get(entry)?.chars ?? 0,
  }));
  return {
    spec,
    key: viewKey(spec),
    events,
    eventOf,
    entries,
    turns,
    turnCount: known.turns + turns.length,
    userCount: known.users + conversation.filter((entry) => entry.kind === 'user').length,
    turnsBefore: known.turns,
    excluded: [...away, ...outside(events, spec)].sort((a, b) => a.entry - b.entry),
    repairs,
    compaction: compactionState(events, spec, recordedCompactions(last, events)),
    last,
  };
}

function outside(events: readonly ViewEvent[], spec: ViewSpec): Excluded[] {
  const excluded: Excluded[] = [];
  for (const event of events) {
    if (event.entry === null || isInView(spec, event)) continue;
    const state = event.seq <= (spec.cutoffSeq ?? 0) ? 'before_cutoff' : 'other_run';
    excluded.push({ entry: event.entry, state, chars: event.chars });
  }
  return excluded;
}

/** What the last call of the view recorded about its build. `seen`: events of the view, in order of seq. */
export function lastBuildOf(seen: readonly ViewEvent[], spec: ViewSpec): RecordedBuild | null {
  const key = viewKey(spec);
  for (let index = seen.length - 1; index >= 0; index -= 1) {
    const event = seen[index];
    if (event?.type !== 'LlmCallStarted') continue;
    const recorded = readRecordedBuild(event);
    if (recorded?.base.view === key) return recorded;
  }
  return null;
}

const lastInterruption = (seen: readonly ViewEvent[]): number =>
  seen.findLast((event) => event.type === 'ConversationInterrupted')?.seq ?? 0;

/** Turns and user messages in front of the events at hand: what the last build counted less what of it is here. */
function knownBefore(
  conversation: readonly ConversationEntry[],
  last: RecordedBuild | null,
): { turns: number; users: number } {
  if (last === null) return { turns: 0, users: 0 };
  let turns = last.base.turns;
  let users = last.base.users;
  for (const entry of conversation) {
    if (entry.seq === null || entry.seq > last.uptoSeq) continue;
    if (entry.kind === 'assistant') turns -= 1;
    else if (entry.kind === 'user') users -= 1;
  }
  return { turns: Math.max(0, turns), users: Math.max(0, users) };
}

type Grouping = { entries: Entry[]; turns: Turn[]; lead: LeadEntry[]; exchange: number };

function groupTurns(
  conversation: readonly ConversationEntry[],
  turnsBefore: number,
  usersBefore: number,
  interruptedAt: number,
): { entries: Entry[]; turns: Turn[] } {
  const group: Grouping = { entries: [], turns: [], lead: [], exchange: Math.max(0, usersBefore - 1) };
  let users = usersBefore;
  let at = -1;
  for (const source of conversation) {
    at += 1;
    if (source.kind === 'user') {
      group.exchange = users;
      users += 1;
    }
    const next = turnsBefore + group.turns.length;
    group.entries.push({ source, turn: source.kind === 'result' ? next - 1 : next, exchange: group.exchange });
    if (source.kind === 'assistant') closeTurn(group, source, next, conversation, at, interruptedAt);
    else if (source.kind !== 'result') group.lead.push(source);
  }
  return { entries: group.entries, turns: group.turns };
}

function closeTurn(
  group: Grouping,
  answer: AssistantEntry,
  index: number,
  conversation: readonly ConversationEntry[],
  at: number,
  interruptedAt: number,
): void {
  const results = conversation.slice(at + 1, at + 1 + answer.calls.length).filter((entry) => entry.kind === 'result');
  const isNewest = at + 1 + results.length === conversation.length;
  const isUnanswered = results.some((result) => result.entry === null);
  group.turns.push({
    index,
    exchange: group.exchange,
    lead: group.lead,
    answer,
    results,
    open: isNewest && isUnanswered && interruptedAt < answer.seq,
  });
  group.lead = [];
}
