import {
  BUILD_EVENTS,
  COMPACTION_EVENTS,
  isInView,
  KeptEvents,
  lastBuildOf,
  neededEvents,
  needsAllCompactions,
  viewCutoff,
  viewKey,
  type NextBuild,
  type ViewSpec,
} from '#libs/context';
import type { EventType, StoredEvent, ViewEvent } from '#libs/domain';
import type { EventLog, ReadStream } from '../ports/event-log.port.js';

/** One sub-stream of a log. */
export type SubStream = { projectId: string; streamId: string };
export type ReadLog = Pick<EventLog, 'read'>;
type ReadBuilds = Pick<EventLog, 'read' | 'readLastBuild'>;

/** Calls of other views that are looked at in one read, on the way back to the last one of this view. */
const PAGE = 16;
const CALLS: readonly EventType[] = ['LlmCallStarted'];
const compactionTypes: ReadonlySet<EventType> = new Set(COMPACTION_EVENTS);
const ENTRIES: readonly EventType[] = BUILD_EVENTS.filter((type) => !compactionTypes.has(type));

/**
 * What a worker reads that knows nothing of a sub-stream: the last call of the view, what came since, and what its record
 * names as needed, at once. So it reads what is shown, however long the log is (docs/adr/0019-workers-keep-what-builds-need.md).
 * Older events too where something changed since. Without an earlier call of the view that is all of the view.
 */
export async function readKeptEvents(
  log: ReadBuilds,
  place: SubStream,
  next: NextBuild,
  uptoSeq: number,
): Promise<KeptEvents> {
  const { view } = next;
  const begin = viewCutoff(view);
  const read = (query: Partial<ReadStream>): Promise<StoredEvent[]> => log.read({ ...place, uptoSeq, ...query });
  const entries = (fromSeq: number, toSeq: number): Promise<StoredEvent[]> =>
    read({ ...ofView(view), afterSeq: fromSeq - 1, uptoSeq: toSeq, types: ENTRIES });
  const { call, events: first, fromSeq: readFrom } = await readLikely(log, place, view, uptoSeq);
  const last = call === null ? null : lastBuildOf([call], view);
  const sinceSeq = Math.max(begin, last?.uptoSeq ?? 0);
  const events = new Map<number, ViewEvent>();
  const add = (some: readonly ViewEvent[]): void => some.forEach((event) => events.set(event.seq, event));
  add(first);
  if (sinceSeq + 1 < readFrom) add(await read({ afterSeq: sinceSeq, uptoSeq: readFrom - 1, types: COMPACTION_EVENTS }));
  const hasAllCompactions = needsAllCompactions(last, inOrder(events));
  if (hasAllCompactions && sinceSeq > begin)
    add(await read({ afterSeq: begin, uptoSeq: sinceSeq, types: COMPACTION_EVENTS }));
  const { fromSeq, alsoSeqs } = neededEvents(last, inOrder(events), next);
  if (fromSeq < readFrom) add(await entries(fromSeq, readFrom - 1));
  const missing = alsoSeqs.filter((seq) => !events.has(seq));
  if (missing.length > 0) add(await read({ seqs: missing }));
  const allFrom = Math.min(fromSeq, readFrom);
  return new KeptEvents(view, { events: inOrder(events), fromSeq: allFrom, uptoSeq, hasAllCompactions });
}

type Likely = { readonly call: ViewEvent | null; readonly events: readonly ViewEvent[]; readonly fromSeq: number };

/** The last call of the view that recorded its build, and all events of the view from `fromSeq` on, with single older ones. */
async function readLikely(log: ReadBuilds, place: SubStream, view: ViewSpec, uptoSeq: number): Promise<Likely> {
  const events = await log.readLastBuild({
    ...place,
    viewKey: viewKey(view),
    afterSeq: viewCutoff(view),
    uptoSeq,
    types: ENTRIES,
    runId: ofView(view).runId ?? null,
    typesOfAnyRun: COMPACTION_EVENTS,
  });
  const call = events.find(({ type }) => type === 'LlmCallStarted') ?? null;
  if (call === null) return { call, events, fromSeq: viewCutoff(view) + 1 };
  const last = lastBuildOf([call], view);
  if (last !== null) return { call, events, fromSeq: Math.min(last.base.needs_from, last.seq, last.uptoSeq + 1) };
  // Another Weir's record, which says nothing here; older calls may have one that does.
  const older = await lastCall(log, place, view, uptoSeq);
  return { call: older, events: older === null ? [] : [older], fromSeq: uptoSeq + 1 };
}

/** A fresh view is that of its run alone. */
const ofView = ({ mode, runId }: ViewSpec): { runId?: string } => (mode === 'fresh' && runId !== null ? { runId } : {});

const inOrder = (events: ReadonlyMap<number, ViewEvent>): ViewEvent[] =>
  [...events.values()].sort((a, b) => a.seq - b.seq);

/** The newest call of the view whose record can be read. */
async function lastCall(log: ReadLog, place: SubStream, view: ViewSpec, uptoSeq: number): Promise<ViewEvent | null> {
  const query = { ...place, ...ofView(view), afterSeq: viewCutoff(view), types: CALLS, descending: true, limit: PAGE };
  for (let to = uptoSeq; ;) {
    const calls = await log.read({ ...query, uptoSeq: to });
    const found = calls.find((event) => isInView(view, event) && lastBuildOf([event], view) !== null);
    if (found !== undefined) return found;
    if (calls.length < PAGE) return null;
    to = (calls.at(-1)?.seq ?? 1) - 1;
  }
}
