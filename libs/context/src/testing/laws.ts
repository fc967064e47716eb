import { canonicalJson, type StoredEvent } from '#libs/domain';
import { buildContext } from '../build-context.js';
import type { ReadyBuild } from '../build-result.js';
import type { NeutralMessage } from '../neutral.js';
import { lint } from '../shape/index.js';
import { compactionState } from '../view/compaction-state.js';
import type { KeptEvents } from '../view/kept-events.js';
import { isInView, viewKey } from '../view/view-key.js';
import { BrokenLaw, hold } from './broken-law.js';
import { canonicalOf, checkIncremental } from './incremental-law.js';
import { playPlan, type Observed } from './play-plan.js';
import type { Plan } from './random-plan.js';
import type { Session } from './session.js';
import { checkTokens } from './tokens-law.js';

type Before = { build: ReadyBuild; key: string; lastEntry: number };

/** Plays a plan and checks C1–C9 and C11–C16 at every build of it (C10 is the engine's; C16 by frozen events). */
export function checkLaws(plan: Plan): void {
  const before = new Map<string, Before>();
  const workers = new Map<string, KeptEvents>();
  const session = playPlan(plan, (observed) => {
    const { build } = observed;
    checkCompaction(observed);
    checkIncremental(observed, workers);
    if (build.kind !== 'ready') return;
    checkRequest(observed.session, build);
    checkTokens(observed.session, build);
    checkEntries(observed.session, build);
    checkProtected(observed.session, build);
    const key = viewKey(observed.session.view);
    const settings = observed.session.policyHash + JSON.stringify(observed.session.manifest.model);
    const last = before.get(key);
    if (last !== undefined && last.key === settings) checkPrefix(last, build);
    before.set(key, { build, key: settings, lastEntry: lastEntry(observed.session) });
  });
  checkEquality(session);
}

const lastEntry = (session: Session): number =>
  session.events.reduce((most, { entry }) => Math.max(most, entry ?? 0), 0);

function checkRequest(session: Session, build: ReadyBuild): void {
  const { model } = session.manifest;
  const found = lint(build.request, model.apiFormat, { model });
  hold('C1', found.length === 0, () => JSON.stringify(found.slice(0, 3)));
  hold('C2', hasPairs(build.request.messages), () =>
    JSON.stringify(build.request.messages.map((message) => message.role)),
  );
  const cap = build.report['hard_cap'];
  hold('C7', cap === null || build.chars <= Number(cap), () => `${build.chars} > ${JSON.stringify(cap)}`);
  hold('C8', !/(?:^|[^\\])(?:\\\\)*\\u(?:d[89a-f]|0000)/.test(build.canonical.join('')), () => 'an ill-formed string');
  hold('chars', build.chars === build.report['chars'], () => 'the report has another size');
  const prefix = Number(build.report['common_prefix_chars']);
  hold('prefix', prefix <= build.chars, () => `a prefix of ${prefix} chars in a request of ${build.chars}`);
}

function hasPairs(messages: readonly NeutralMessage[]): boolean {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open.shift() !== message.tool_call_id) return false;
    } else if (open.length > 0) return false;
    else open = message.role === 'assistant' ? message.tool_calls.map(({ id }) => id) : [];
  }
  return open.length === 0;
}

/** What a fresh view may see, said once more: its own run's, after the cutoff. */
const isOwn = ({ view }: Session, event: StoredEvent): boolean =>
  view.mode === 'inherit' || (event.runId === view.runId && event.seq > (view.cutoffSeq ?? 0));

function checkEntries(session: Session, build: ReadyBuild): void {
  const places = new Map<number, string[]>();
  const place = (entry: number, where: string): void => void places.set(entry, [...(places.get(entry) ?? []), where]);
  build.messages.forEach(({ entries, message }) => new Set(entries).forEach((entry) => place(entry, message.role)));
  build.omitted.forEach(({ entries: [from, to], state }) => {
    for (let entry = from; entry <= to; entry += 1) place(entry, state);
  });
  const total = lastEntry(session);
  hold('C4', places.size === total && [...places.values()].every(isOnePlace), () =>
    JSON.stringify({ total, seen: [...places].filter(([, one]) => !isOnePlace(one)), missing: total - places.size }),
  );
  const foreign = session.events.filter((event) => event.entry !== null && !isOwn(session, event));
  const shown = new Set(build.messages.flatMap(({ entries }) => entries));
  hold(
    'C15',
    !foreign.some(({ entry }) => entry !== null && shown.has(entry)),
    () => 'an entry of another run is shown',
  );
  checkLengths(session, build);
}

/** C13: whatever is not whole is shorter for it. */
function checkLengths(session: Session, build: ReadyBuild): void {
  // One that stands in a message with the summary or memory has their chars too.
  const merged = new Set(build.repairs.flatMap(({ rule, entries }) => (rule === 'merged' ? entries : [])));
  const changed = build.messages.flatMap(({ entries: [entry, ...others], chars, state }) =>
    state === 'whole' || entry === undefined || others.length > 0 || merged.has(entry) ? [] : [{ entry, chars, state }],
  );
  if (changed.length === 0) return;
  const whole = wholeChars(session);
  for (const { entry, chars, state } of changed)
    hold('C13', chars <= (whole.get(entry) ?? Infinity), () => `#${entry} is longer ${state} than whole`);
}

function wholeChars(session: Session): Map<number, number> {
  const unmanaged = session.build('unmanaged');
  if (unmanaged.kind !== 'ready') throw new BrokenLaw('unmanaged builds are always ready');
  const whole = new Map<number, number>();
  for (const { entries, chars } of unmanaged.messages)
    for (const entry of entries) whole.set(entry, (whole.get(entry) ?? 0) + (entries.length === 1 ? chars : Infinity));
  return whole;
}

/** A result whose images the format takes in user messages only stands in two. */
const isOnePlace = (where: readonly string[]): boolean => where.length === 1 || where.join() === 'tool,user';

function checkProtected(session: Session, build: ReadyBuild): void {
  const users = session.events.filter(
    (event): event is Extract<StoredEvent, { type: 'UserMessageReceived' }> =>
      event.type === 'UserMessageReceived' && isInView(session.view, event),
  );
  const kept = [
    users.findLast(({ data }) => data.origin === 'task'),
    users.findLast(({ data }) => data.injected !== true),
  ];
  for (const event of kept) {
    if (event?.entry == null) continue;
    const { entry } = event;
    const message = build.messages.find(({ entries }) => entries.includes(entry))?.message;
    const texts =
      typeof event.data.content === 'string'
        ? [event.data.content]
        : event.data.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const shown =
      message?.role === 'user' ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [];
    hold(
      'C3',
      texts.every((text) => text.trim() === '' || shown.includes(text)),
      () => `#${entry} is not shown as it came`,
    );
  }
}

function checkPrefix(last: Before, build: ReadyBuild): void {
  if (JSON.stringify(last.build.frontier) !== JSON.stringify(build.frontier)) return;
  if (
    shorteningOf(last.build) !== shorteningOf(build) ||
    repairsTo(last.build, last.lastEntry) !== repairsTo(build, last.lastEntry)
  )
    return;
  const messages = last.build.messages.map(({ message }) => message);
  // What was made up at the end goes when something follows, and neighbours of one role are merged: both are repairs.
  const ends =
    Number(last.build.repairs.some(({ rule }) => rule === 'closing')) +
    Number(build.repairs.some(({ rule }) => rule === 'merged'));
  const common = messages.slice(0, Math.max(0, messages.length - ends));
  common.forEach((message, index) => {
    hold(
      'C6',
      JSON.stringify(message) === JSON.stringify(build.messages[index]?.message),
      () =>
        `message ${index} of ${messages.length} changed: ${JSON.stringify(message).slice(0, 200)} → ${JSON.stringify(build.messages[index]?.message)?.slice(0, 200)}`,
    );
  });
}

const shorteningOf = (build: ReadyBuild): string =>
  JSON.stringify(build.report['base'], ['shortening', 'min_chars', 'to']);
/** Repairs of what the earlier build saw; what shape adds at the ends is looked at apart. */
const repairsTo = (build: ReadyBuild, entry: number): string =>
  JSON.stringify(
    build.repairs
      .filter(
        ({ rule, entries }) =>
          !['merged', 'closing', 'late_result'].includes(rule) && entries.every((one) => one <= entry),
      )
      .map(({ rule, entries, detail }) => `${rule}${entries.join()}${detail}`)
      .sort(),
  );

function checkCompaction({ session, build, applied }: Observed): void {
  const proposal = build.kind === 'over_hard_cap' ? null : build.proposal;
  const answers = session.events.filter((event) => event.type === 'LlmCallCompleted' && isInView(session.view, event));
  if (proposal !== null) {
    const behind = answers.filter(({ seq, entry }) => seq > proposal.range[1] && entry !== null).length;
    hold(
      'C12',
      behind >= (session.policy.window?.min_tail_turns ?? 0),
      () => `only ${behind} answers behind the range`,
    );
    const newest = answers.at(-1)?.seq ?? 0;
    const live = compactionState(session.events, session.view).live;
    const isUrgent = proposal.reason === 'hard_cap' || proposal.reason === 'ladder';
    if (applied !== null && !isUrgent)
      hold('C14', newest > (live?.appliedSeq ?? 0), () => 'proposed again without a new turn');
  }
  if (applied === null || !isUndisturbed(session)) return;
  const size = build.kind === 'ready' ? build.chars : build.size;
  hold('C14', size <= applied.projectedChars, () => `${size} chars, projected were ${applied.projectedChars}`);
}

/** Nothing but compaction events since the request. */
function isUndisturbed(session: Session): boolean {
  const last = session.events.at(-1);
  if (last?.type !== 'ContextCompacted') return false;
  const requested = session.events.findLastIndex(
    (event) => event.type === 'CompactionRequested' && event.data.compaction_id === last.data.compaction_id,
  );
  if (requested === -1) return false;
  return session.events
    .slice(requested)
    .every(({ entry, type }) => entry === null && type !== 'ConversationInterrupted' && type !== 'LlmCallStarted');
}

/** C5, C9 and C15, once for each session. */
function checkEquality(session: Session): void {
  const build = session.build();
  if (build.kind === 'ready') hold('C5', canonicalOf(build) === canonicalJson(build.request), () => canonicalOf(build));
  // A copy has nothing in any cache, which makes its builds a fifth of the suite's time: each third session finds the same.
  const isCold = session.events.length % 3 === 0;
  const copy = isCold ? structuredClone([...session.events]) : session.events;
  const equal = (law: string, events: readonly StoredEvent[]): void => {
    const other = buildContext({
      events,
      view: session.view,
      manifest: structuredClone(session.manifest),
      policyHash: session.policyHash,
      memory: null,
      uptoSeq: Infinity,
      runActive: true,
      purpose: 'managed',
      known: session.known,
    });
    hold(
      law,
      canonicalOf(other) === canonicalOf(build),
      () => `${canonicalOf(other).slice(0, 400)} instead of ${canonicalOf(build).slice(0, 400)}`,
    );
  };
  equal('C5', copy);
  const last = copy.findLast((event) => event.type === 'ContextCompacted');
  if (last !== undefined) equal('C9', [...copy, { ...last, seq: copy.length + 1 }]);
  if (session.view.mode === 'fresh')
    equal(
      'C15',
      copy.filter((event) => isOwn(session, event)),
    );
}
