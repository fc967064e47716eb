import {
  BUILD_EVENTS,
  COMPACTION_EVENTS,
  isInView,
  KeptEvents,
  lastBuildOf,
  LEAST_OUTLINED_CHARS,
  neededEvents,
  needsAllCompactions,
  outlinesToRead,
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
  const likely = await readLikely(log, place, view, uptoSeq);
  const { call, fromSeq: readFrom } = likely;
  let { events } = likely;
  const add = (more: readonly ViewEvent[]): void => void (events = inOrder(events, more));
  const last = call === null ? null : lastBuildOf([call], view);
  const sinceSeq = Math.max(begin, last?.uptoSeq ?? 0);
  if (sinceSeq + 1 < readFrom) add(await read({ afterSeq: sinceSeq, uptoSeq: readFrom - 1, types: COMPACTION_EVENTS }));
  const hasAllCompactions = needsAllCompactions(last, events);
  if (hasAllCompactions && sinceSeq > begin)
    add(await read({ afterSeq: begin, uptoSeq: sinceSeq, types: COMPACTION_EVENTS }));
  const { fromSeq, alsoSeqs, isAnew } = neededEvents(last, events, next);
  if (fromSeq < readFrom)
    add(await read({ ...ofView(view), afterSeq: fromSeq - 1, uptoSeq: readFrom - 1, types: ENTRIES }));
  const missing = alsoSeqs.filter((seq) => !events.some((event) => event.seq === seq));
  const seqs = [...missing, ...outlinesToRead(events, isAnew)];
  if (seqs.length > 0) add(await read({ seqs }));
  return new KeptEvents(view, { events, fromSeq: Math.min(fromSeq, readFrom), uptoSeq, hasAllCompactions });
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
    leastOutlinedChars: LEAST_OUTLINED_CHARS,
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

/** Both in order of seq; of what is in both, what was read later. */
function inOrder(events: readonly ViewEvent[], more: readonly ViewEvent[]): readonly ViewEvent[] {
  const bySeq = new Map([...events, ...more].map((event) => [event.seq, event]));
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}

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
