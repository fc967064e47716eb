import {
  compactionState,
  isInView,
  readPolicy,
  repairConversation,
  sourceDigestBytes,
  type ConversationEntry,
  type EffectivePolicy,
  type Manifest,
  type ViewSpec,
} from '#libs/context';
import { TerminalError, type StoredEvent } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { readManifest } from '../manifest.js';
import { sha256 } from '../new-event.js';
import type { CompactionRecord } from '../ports/compaction-store.port.js';

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
};

/** @throws TerminalError `manifest_missing` when what the compaction depends on was erased. */
export async function readSource(deps: Pick<EngineDeps, 'log'>, record: CompactionRecord): Promise<CompactionSource> {
  const manifest = readManifest(await deps.log.getPayload(record.projectId, record.manifest));
  if (manifest === null)
    throw new TerminalError(
      'manifest_missing',
      `the manifest of compaction ${record.compactionId} is not stored any more`,
    );
  const view = viewOf(record);
  const events = await deps.log.read({
    projectId: record.projectId,
    streamId: record.streamId,
    uptoSeq: record.range[1],
  });
  const entries = entriesOf(events, view, record.range);
  const superseded = await supersededSummary(deps, record, view);
  const fresh =
    superseded === null
      ? entries
      : entries.filter((entry) => (entry.kind === 'result' ? entry.call.entry : entry.entry) > superseded.lastEntry);
  return {
    view,
    manifest,
    policy: readPolicy(manifest.policy),
    entries,
    fresh,
    previousSummary: superseded?.summary ?? null,
    digest: digestOf(events, view, record.range),
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
export function digestOf(events: readonly StoredEvent[], view: ViewSpec, range: readonly [number, number]): string {
  return sha256(sourceDigestBytes(inRange(events, view, range)));
}

function entriesOf(
  events: readonly StoredEvent[],
  view: ViewSpec,
  range: readonly [number, number],
): ConversationEntry[] {
  return repairConversation(inRange(events, view, range)).entries;
}

function inRange(events: readonly StoredEvent[], view: ViewSpec, [from, to]: readonly [number, number]): StoredEvent[] {
  return events.filter((event) => event.seq >= from && event.seq <= to && isInView(view, event));
}

async function supersededSummary(
  deps: Pick<EngineDeps, 'log'>,
  record: CompactionRecord,
  view: ViewSpec,
): Promise<{ summary: string; lastEntry: number } | null> {
  if (record.supersedes === null) return null;
  const events = await deps.log.read({
    projectId: record.projectId,
    streamId: record.streamId,
    types: [
      'CompactionRequested',
      'ContextCompacted',
      'CompactionSkipped',
      'CompactionDiscarded',
      'CompactionFailed',
      'CompactionRolledBack',
      'CompactionWaitExpired',
    ],
  });
  const { live } = compactionState(events, view);
  return live === null ? null : { summary: live.summary, lastEntry: live.entries[1] };
}
