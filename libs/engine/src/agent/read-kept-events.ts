import {
  BUILD_EVENTS,
  COMPACTION_EVENTS,
  isInView,
  KeptEvents,
  lastBuildOf,
  neededEvents,
  needsAllCompactions,
  viewCutoff,
  type NextBuild,
  type ViewSpec,
} from '#libs/context';
import type { EventType, StoredEvent } from '#libs/domain';
import type { EventLog, ReadStream } from '../ports/event-log.port.js';

/** One sub-stream of a log. */
export type SubStream = { projectId: string; streamId: string };
export type ReadLog = Pick<EventLog, 'read'>;

/** Calls of other views that are looked at in one read, on the way back to the last one of this view. */
const PAGE = 16;
const compactionTypes: ReadonlySet<EventType> = new Set(COMPACTION_EVENTS);
const ENTRIES: readonly EventType[] = BUILD_EVENTS.filter((type) => !compactionTypes.has(type));

/**
 * What a worker reads that knows nothing of a sub-stream: the last call of the view, what came since, and what its record
 * names as needed. So it reads what is shown, however long the log is (docs/adr/0019-workers-keep-what-builds-need.md).
 * Without an earlier call of the view that is all of the view.
 */
export async function readKeptEvents(
  log: ReadLog,
  place: SubStream,
  next: NextBuild,
  uptoSeq: number,
): Promise<KeptEvents> {
  const { view } = next;
  const begin = viewCutoff(view);
  const read = (query: Partial<ReadStream>): Promise<StoredEvent[]> => log.read({ ...place, uptoSeq, ...query });
  const call = await lastCall(read, view, uptoSeq);
  const last = call === null ? null : lastBuildOf([call], view);
  const sinceSeq = Math.max(begin, last?.uptoSeq ?? 0);
  const events = new Map<number, StoredEvent>();
  const add = (some: readonly StoredEvent[]): void => some.forEach((event) => events.set(event.seq, event));
  const entries = (fromSeq: number, toSeq = uptoSeq): Promise<StoredEvent[]> =>
    read({ ...ofView(view), afterSeq: fromSeq - 1, uptoSeq: toSeq, types: ENTRIES });
  const single = async (seqs: readonly number[]): Promise<StoredEvent[]> => {
    const missing = seqs.filter((seq) => !events.has(seq));
    return missing.length === 0 ? [] : read({ seqs: missing });
  };
  // What is needed unless compactions came since; all of it at once.
  const likely = neededEvents(last, [], next);
  const likelyFrom = Math.min(likely.fromSeq, sinceSeq + 1);
  const compactions = read({ afterSeq: sinceSeq, types: COMPACTION_EVENTS });
  (await Promise.all([entries(likelyFrom), compactions, single(likely.alsoSeqs)])).forEach(add);
  const hasAllCompactions = needsAllCompactions(last, inOrder(events));
  if (hasAllCompactions && sinceSeq > begin)
    add(await read({ afterSeq: begin, uptoSeq: sinceSeq, types: COMPACTION_EVENTS }));
  const { fromSeq, alsoSeqs } = neededEvents(last, inOrder(events), next);
  if (fromSeq < likelyFrom) add(await entries(fromSeq, likelyFrom - 1));
  add(await single(alsoSeqs));
  if (call !== null) add([call]);
  const allFrom = Math.min(fromSeq, likelyFrom);
  return new KeptEvents(view, { events: inOrder(events), fromSeq: allFrom, uptoSeq, hasAllCompactions });
}

/** A fresh view is that of its run alone. */
const ofView = ({ mode, runId }: ViewSpec): Partial<ReadStream> =>
  mode === 'fresh' && runId !== null ? { runId } : {};

const inOrder = (events: ReadonlyMap<number, StoredEvent>): StoredEvent[] =>
  [...events.values()].sort((a, b) => a.seq - b.seq);

/** The newest call of the view that recorded its build. */
async function lastCall(
  read: (query: Partial<ReadStream>) => Promise<StoredEvent[]>,
  view: ViewSpec,
  uptoSeq: number,
): Promise<StoredEvent | null> {
  const query = { ...ofView(view), afterSeq: viewCutoff(view), types: ['LlmCallStarted'], descending: true } as const;
  for (let to = uptoSeq, limit = 1; ; limit = PAGE) {
    const calls = await read({ ...query, uptoSeq: to, limit });
    const found = calls.find((event) => isInView(view, event) && lastBuildOf([event], view) !== null);
    if (found !== undefined) return found;
    if (calls.length < limit) return null;
    to = (calls.at(-1)?.seq ?? 1) - 1;
  }
}
