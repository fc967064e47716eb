import { KeptEvents, viewCutoff, viewKey, type NextBuild, type ViewSpec } from '#libs/context';
import type { EventSubject, NewEvent, StoredEvent, StoredEventOf, ViewEvent } from '#libs/domain';
import type { AppendResult, EventLog } from '../ports/event-log.port.js';
import { AgentLoop } from './agent-loop.js';
import type { ConversationCache } from './conversation-cache.js';
import { foreseenEvents, ownEvents } from './own-events.js';
import { readKeptEvents, type ReadLog, type SubStream } from './read-kept-events.js';

export type ConversationDeps = { log: EventLog; conversations: ConversationCache };
/** Whose loop is led: the step's own events, `models` of its agent. */
export type OwnLoop = { subject: EventSubject; models: number };

/**
 * One view of a sub-stream at one worker: what builds need of it, and where the step's loop stands. Each event is read once;
 * what no build needs any more is let go. It may be behind the log: appends that depend on it expect its `version`.
 */
export class Conversation {
  /** What was appended last came right behind what was known: nobody else had written since. */
  private isCurrent = false;
  /** How many of the newest events were taken in before they are appended. */
  private foreseen = 0;
  /** Somebody else wrote where something was foreseen: what is known here is not what stands there. */
  isAstray = false;
  /** Of the sub-stream; null until an event of the log has told. */
  private lastEntry: number | null = null;

  private constructor(
    private readonly deps: ConversationDeps,
    private readonly place: SubStream,
    readonly view: ViewSpec,
    private kept: KeptEvents,
    private readonly erasures: number | null,
    readonly loop: AgentLoop,
  ) {}

  /** A view that begins with the next event. */
  static begin(deps: ConversationDeps, place: SubStream, view: ViewSpec, own: OwnLoop): Conversation {
    const uptoSeq = viewCutoff(view);
    const kept = new KeptEvents(view, { events: [], fromSeq: uptoSeq + 1, uptoSeq, hasAllCompactions: true });
    return new Conversation(deps, place, view, kept, null, new AgentLoop(own.subject, own.models));
  }

  /**
   * As this process kept it, else read anew. `ownFrom`: after this seq the step's own events begin; null: it has none yet.
   * `next`: what will probably be built.
   */
  static async open(
    deps: ConversationDeps,
    place: SubStream,
    next: NextBuild,
    own: OwnLoop & { ownFrom: number | null },
  ): Promise<Conversation> {
    const stream = await deps.log.version(place.projectId, place.streamId);
    const erasures = stream?.erasures ?? 0;
    const upto = Math.max(stream?.version ?? 0, viewCutoff(next.view));
    const taken = await takeKept(deps, place, { view: next.view, erasures });
    const kept = taken ?? (await readKeptEvents(deps.log, place, next, upto));
    const loop = await readLoop(deps.log, place, own, kept.uptoSeq);
    return new Conversation(deps, place, next.view, kept, erasures, loop);
  }

  /** Last seq that was read: the version that the next append expects. */
  get version(): number {
    return this.kept.uptoSeq;
  }

  /** What is kept of the view, in order of seq. */
  get events(): readonly ViewEvent[] {
    return this.kept.events;
  }

  /** Reads what was appended since. In a transaction with its own `log`. */
  async refresh(log: ReadLog = this.deps.log): Promise<void> {
    this.take(await log.read({ ...this.place, afterSeq: this.version }));
  }

  /** The same after an append of the step: where nobody else wrote before it, nothing is read. */
  async refreshAfterOwn(): Promise<void> {
    if (!this.isCurrent) return this.refresh();
    // Once: whoever finds that somebody wrote meanwhile asks again.
    this.isCurrent = false;
  }

  /**
   * Takes in what the step will append before anything else, as it will stand there unless somebody else writes first. False:
   * where that is cannot be told. `appended` must hear of these events before any others.
   */
  foresee(events: readonly NewEvent[]): boolean {
    if (this.lastEntry === null) return false;
    const after = { version: this.version, entries: this.lastEntry };
    this.take(foreseenEvents(this.place.streamId, events, after));
    this.foreseen += events.length;
    this.isCurrent = true;
    return true;
  }

  /** What the step just appended is known without reading it when it stands right behind what was known. */
  appended(events: readonly NewEvent[], result: AppendResult): void {
    const own = ownEvents(this.place.streamId, events, result);
    const { foreseen } = this;
    this.foreseen = 0;
    this.isCurrent = own?.[0]?.seq === this.version - foreseen + 1;
    if (own !== null && this.isCurrent) this.take(own.slice(foreseen));
    else if (foreseen > 0) this.isAstray = true;
  }

  private take(events: readonly StoredEvent[]): void {
    this.loop.append(events);
    this.kept.append(events);
    this.lastEntry = events.findLast(({ entry }) => entry !== null)?.entry ?? this.lastEntry;
  }

  /**
   * The events that this build needs. `uptoSeq`: of a call that was recorded before, the events that it saw. `beforeReading`
   * writes what was foreseen, if the log has to be read.
   */
  async eventsFor(next: NextBuild, beforeReading: () => Promise<void>, uptoSeq?: number): Promise<KeptEvents> {
    if (uptoSeq !== undefined && uptoSeq < this.version)
      return readKeptEvents(this.deps.log, this.place, next, uptoSeq);
    if (!this.kept.covers(next)) {
      await beforeReading();
      this.kept = await readKeptEvents(this.deps.log, this.place, next, this.version);
    }
    return this.kept;
  }

  /** Leaves it for the next job of this process. */
  leave(): void {
    if (this.isAstray) return;
    const { place, view, kept, erasures } = this;
    this.deps.conversations.put(keyOf(place, view), { kept, erasures });
  }
}

const keyOf = ({ projectId, streamId }: SubStream, view: ViewSpec): string =>
  JSON.stringify([projectId, streamId, viewKey(view)]);

/** Who is further behind reads less anew. */
const MAX_CATCH_UP = 500;

/**
 * What the process kept, brought up to date; null when there is nothing, the log does not go on from it, or something of the
 * sub-stream was erased since: it may be among what was kept.
 */
async function takeKept(
  deps: ConversationDeps,
  place: SubStream,
  { view, erasures }: { view: ViewSpec; erasures: number },
): Promise<KeptEvents | null> {
  const found = deps.conversations.take(keyOf(place, view));
  if (found === null || found.erasures !== erasures) return null;
  const { kept } = found;
  if (kept.newestId === null) return null;
  const query = { ...place, afterSeq: kept.uptoSeq - 1, limit: MAX_CATCH_UP };
  const [newest, ...events] = await deps.log.read(query);
  if (newest?.eventId !== kept.newestId || events.length + 1 === MAX_CATCH_UP) return null;
  kept.append(events);
  return kept;
}

/** Where the loop of the step stands: from the snapshot of its last call, and its own events since. */
async function readLoop(
  log: ReadLog,
  place: SubStream,
  { subject, models, ownFrom }: OwnLoop & { ownFrom: number | null },
  uptoSeq: number,
): Promise<AgentLoop> {
  const { runId } = subject;
  if (ownFrom === null || runId === null) return new AgentLoop(subject, models);
  const query = { ...place, runId, afterSeq: ownFrom, uptoSeq };
  const [started] = await log.read({ ...query, types: ['LlmCallStarted'], descending: true, limit: 1 });
  const from = started !== undefined && isCall(started) ? AgentLoop.at(started, subject, models) : null;
  const loop = from ?? new AgentLoop(subject, models);
  const afterSeq = from === null || started === undefined ? ownFrom : started.seq - 1;
  loop.append(await log.read({ ...query, afterSeq }));
  return loop;
}

const isCall = (event: StoredEvent): event is StoredEventOf<'LlmCallStarted'> => event.type === 'LlmCallStarted';
