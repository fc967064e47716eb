import type { StoredEvent, ViewEvent } from '#libs/domain';
import type { ViewSpec } from '../build-result.js';
import { KnownForms } from '../measure/measured-item.js';
import {
  BUILD_EVENTS,
  COMPACTION_EVENTS,
  neededEvents,
  needsAllCompactions,
  type NextBuild,
} from '../needed-events.js';
import { outlinesToRead } from './outline.js';
import { lastBuildOf } from './read-view.js';
import { readRecordedBuild, type RecordedBuild } from './recorded-build.js';
import { isInView, viewKey } from './view-key.js';

/** Where the events at hand begin: all that builds read from `fromSeq` to `uptoSeq`, and some that are older. */
export type KeptFrom = {
  /** In order of seq; `last`'s own event and those before `fromSeq` among them. */
  readonly events: readonly ViewEvent[];
  readonly fromSeq: number;
  readonly uptoSeq: number;
  /** Every compaction event of the view up to `uptoSeq` is among the events. */
  readonly hasAllCompactions: boolean;
};

const buildTypes: ReadonlySet<string> = new Set(BUILD_EVENTS);
const compactionTypes: ReadonlySet<string> = new Set(COMPACTION_EVENTS);

/**
 * The events of one view that builds still need, as the log grows: each new event is looked at once, and what a recorded
 * build has left behind is let go, so that neither time nor memory grow with the log. The law: whatever the pieces in which
 * events come, a build over `events` is the build over the whole log wherever `covers` says so (law C11).
 */
export class KeptEvents {
  /** What builds of them know. */
  readonly known = new KnownForms();
  private kept: ViewEvent[] = [];
  private fromSeq: number;
  private upto: number;
  private hasAllCompactions: boolean;
  private last: RecordedBuild | null = null;
  private newest: string | null = null;

  constructor(
    private readonly view: ViewSpec,
    { events, fromSeq, uptoSeq, hasAllCompactions }: KeptFrom,
  ) {
    this.fromSeq = fromSeq;
    this.hasAllCompactions = hasAllCompactions;
    this.upto = uptoSeq;
    this.last = lastBuildOf(
      events.filter((event) => isInView(view, event)),
      view,
    );
    this.kept = events.filter((event) => event.seq === this.last?.seq || this.isRead(event));
  }

  /** In order of seq. The array is the caller's to read until the next `append`. */
  get events(): readonly ViewEvent[] {
    return this.kept;
  }

  /** Every event up to this seq was looked at. */
  get uptoSeq(): number {
    return this.upto;
  }

  /** Id of the event at `uptoSeq`; null while no event was appended. */
  get newestId(): string | null {
    return this.newest;
  }

  /** About what the events take in memory with all that is derived from them; looked up anew each time. */
  get bytes(): number {
    return this.kept.reduce((sum, event) => sum + bytesOf(event), 0);
  }

  /** The next events of the log, in order of seq; those that were looked at already are passed over. */
  append(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.upto) continue;
      this.add(event);
      this.upto = event.seq;
      this.newest = event.eventId;
    }
  }

  /** Whether the events suffice for this build; else older ones must be read. */
  covers(next: NextBuild): boolean {
    if (viewKey(next.view) !== viewKey(this.view)) return false;
    const since = this.kept.filter(({ seq }) => seq > (this.last?.uptoSeq ?? 0));
    if (needsAllCompactions(this.last, since) && !this.hasAllCompactions) return false;
    const { fromSeq, alsoSeqs, isAnew } = neededEvents(this.last, this.kept, next);
    if (fromSeq < this.fromSeq || outlinesToRead(this.kept, isAnew).length > 0) return false;
    const seqs = new Set(this.kept.map(({ seq }) => seq));
    return alsoSeqs.every((seq) => seqs.has(seq));
  }

  private add(event: ViewEvent): void {
    const recorded = event.type === 'LlmCallStarted' && isInView(this.view, event) ? readRecordedBuild(event) : null;
    if (recorded?.base.view === viewKey(this.view)) return this.settle(event, recorded);
    if (this.isRead(event)) this.kept.push(event);
  }

  private isRead(event: ViewEvent): boolean {
    return buildTypes.has(event.type) && (isInView(this.view, event) || compactionTypes.has(event.type));
  }

  /** A build was recorded: what the next one does not need goes. */
  private settle(event: ViewEvent, recorded: RecordedBuild): void {
    this.last = recorded;
    const { base } = recorded;
    const begin = Math.min(base.needs_from, recorded.seq);
    const single = new Set([...base.pinned_seqs, base.compaction?.live?.seq]);
    const isFolded = base.compaction !== undefined;
    const isNeeded = ({ seq, type }: ViewEvent): boolean => {
      if (single.has(seq)) return true;
      if (compactionTypes.has(type)) return !isFolded;
      return seq >= begin && type !== 'LlmCallStarted' && type !== 'LlmCallFailed';
    };
    for (const one of this.kept) if (!isNeeded(one)) this.known.forget(one);
    this.kept = [...this.kept.filter(isNeeded), event];
    this.fromSeq = Math.max(this.fromSeq, begin);
    this.hasAllCompactions &&= !isFolded;
  }
}

/** A text is held about three times: in the event, in its message, in the message's canonical form. */
const BYTES_PER_UNIT = 3;
const BYTES_PER_EVENT = 1_000;

const bytesOf = (event: ViewEvent): number => BYTES_PER_EVENT + BYTES_PER_UNIT * textUnits(event.data);

/** UTF-16 units of all texts in a value, a few for what is no text. */
function textUnits(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 4;
  let units = 8;
  for (const member of Object.values(value)) units += textUnits(member);
  return units;
}
