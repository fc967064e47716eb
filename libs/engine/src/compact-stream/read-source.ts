import {
  BUILD_EVENTS,
  compactionState,
  isInView,
  readPolicy,
  repairConversation,
  sourceDigestBytes,
  type ConversationEntry,
  type EffectivePolicy,
  type Manifest,
  type ModelFailures,
  type ViewSpec,
} from '#libs/context';
import { TerminalError, type StoredEvent } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { storedManifest } from '../manifest.js';
import { sha256 } from '../new-event.js';
import type { EventDigest, EventLog } from '../ports/event-log.port.js';
import type { CompactionRecord } from '../ports/compaction-store.port.js';

type SourceTask = Pick<
  CompactionRecord,
  'projectId' | 'compactionId' | 'streamId' | 'manifest' | 'range' | 'supersedes' | 'viewRunId' | 'cutoffSeq'
>;

/** What a summary is made of: originals, never what a model was shown of them. */
export type CompactionSource = {
  view: ViewSpec;
  manifest: Manifest;
  policy: EffectivePolicy;
  /** Repaired entries of the whole range. */
  entries: ConversationEntry[];
  /** Those after the end of the superseded range: what the summariser must newly cover. */
  fresh: ConversationEntry[];
  previousSummary: string | null;
  /** SHA-256 over the events of the whole range. */
  digest: string;
  /** What became of earlier requests of the view. */
  modelFailures: ModelFailures;
  barredDigests: readonly string[];
  rolledBack: readonly string[];
};

/** @throws TerminalError `manifest_missing` when what the compaction depends on was erased. */
export async function readSource(deps: Pick<EngineDeps, 'log'>, record: SourceTask): Promise<CompactionSource> {
  const { projectId, streamId } = record;
  const manifest = await storedManifest(deps, projectId, record.manifest);
  if (manifest === null)
    throw new TerminalError(
      'manifest_missing',
      `the manifest of compaction ${record.compactionId} is not stored any more`,
    );
  const place = { projectId, streamId };
  const [range, compactions] = await Promise.all([
    readRange(deps.log, record, record.range[1]),
    deps.log.read({ ...place, types: COMPACTION_EVENTS }),
  ]);
  return sourceFrom(record, manifest, range, compactions);
}

/** All that `compactionState` reads. */
export const COMPACTION_EVENTS = [
  'CompactionRequested',
  'ContextCompacted',
  'CompactionSkipped',
  'CompactionDiscarded',
  'CompactionFailed',
  'CompactionRolledBack',
  'CompactionWaitExpired',
] as const;

/** Of a sub-stream: the events that builds read, and the digests of all events of a range. */
export type RangeEvents = { readonly events: readonly StoredEvent[]; readonly digests: readonly EventDigest[] };

/** Records of calls are most of a log, and only their digests count here. `uptoSeq`: the last event to read; else all. */
export async function readRange(
  log: Pick<EventLog, 'read' | 'digests'>,
  { projectId, streamId, range: [from, to] }: Pick<SourceTask, 'projectId' | 'streamId' | 'range'>,
  uptoSeq?: number,
): Promise<RangeEvents> {
  const place = { projectId, streamId };
  const [events, digests] = await Promise.all([
    log.read({ ...place, types: BUILD_EVENTS, ...(uptoSeq === undefined ? {} : { uptoSeq }) }),
    log.digests({ ...place, afterSeq: from - 1, uptoSeq: to }),
  ]);
  return { events, digests };
}

/** The same from events at hand: those of the sub-stream to the end of the range, and its compaction events to now. */
export function sourceFrom(
  record: Pick<CompactionRecord, 'range' | 'supersedes' | 'viewRunId' | 'cutoffSeq'>,
  manifest: Manifest,
  { events, digests }: RangeEvents,
  compactions: readonly StoredEvent[],
): CompactionSource {
  const view = viewOf(record);
  const { entries } = repairConversation(inRange(events, view, record.range));
  const { live, modelFailures, barredDigests, rolledBack } = compactionState(compactions, view);
  const superseded = record.supersedes === null ? null : live;
  const fresh =
    superseded === null
      ? entries
      : entries.filter((entry) => (entry.kind === 'result' ? entry.call.entry : entry.entry) > superseded.entries[1]);
  return {
    view,
    manifest,
    policy: readPolicy(manifest.policy),
    entries,
    fresh,
    previousSummary: superseded?.summary ?? null,
    digest: digestOf(digests, view, record.range),
    modelFailures,
    barredDigests,
    rolledBack,
  };
}

export function viewOf(record: Pick<CompactionRecord, 'viewRunId' | 'cutoffSeq'>): ViewSpec {
  return {
    mode: record.viewRunId === null ? 'inherit' : 'fresh',
    runId: record.viewRunId,
    cutoffSeq: record.cutoffSeq,
  };
}

/** The digest that `ContextCompacted` carries; checked again under the stream's lock. */
export function digestOf(events: readonly EventDigest[], view: ViewSpec, range: readonly [number, number]): string {
  return sha256(sourceDigestBytes(inRange(events, view, range)));
}

function inRange<T extends Pick<StoredEvent, 'seq' | 'runId'>>(
  events: readonly T[],
  view: ViewSpec,
  [from, to]: readonly [number, number],
): T[] {
  return events.filter((event) => event.seq >= from && event.seq <= to && isInView(view, event));
}
