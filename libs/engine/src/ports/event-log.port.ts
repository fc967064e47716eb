import type { EventType, NewEvent, StoredEvent, Usage, ViewEvent } from '#libs/domain';

/** Added to the step's counters in the same statement as the append. `costUsd` in US dollars. */
export type UsageDelta = { usage: Usage | null; costUsd: number; modelCalls: number; toolCalls: number };

/** Who may write: the append is refused when the step run (or compaction) has another fence or is not running. */
export type Fence = { kind: 'step' | 'compaction'; id: string; fence: number };

/** One stream's events with their conditions: `expectedVersion`, `fence`, both, or neither. */
export type AppendUnit = {
  projectId: string;
  streamId: string;
  events: NewEvent[];
  /** The stream's version (last seq; 0 for a new stream) that the writer saw. */
  expectedVersion?: number;
  fence?: Fence;
  /** Only with a fence. */
  usage?: UsageDelta;
};

export type AppendedEvent = { eventId: string; seq: number; entry: number | null; position: number };

export type AppendResult =
  /** `repeated`: every event was there already with the same body; the stored places are returned, nothing was written. */
  | { status: 'appended'; version: number; events: AppendedEvent[]; repeated: boolean }
  | { status: 'version_conflict'; version: number }
  | { status: 'fenced_out' }
  /** An event with this id is stored with another body: a bug in the caller's ids. */
  | { status: 'id_conflict'; eventId: string };

/** `erasures`: how often something of it was erased. */
export type StreamVersion = { streamId: string; version: number; entries: number; erasures: number };

export type ReadStream = {
  projectId: string;
  streamId: string;
  /** Exclusive lower and inclusive upper bound of seq. */
  afterSeq?: number;
  uptoSeq?: number;
  types?: readonly EventType[];
  /** Only events of this run. */
  runId?: string;
  /** Only these places; within the bounds, where there are any. */
  seqs?: readonly number[];
  /** Only this conversation entry. */
  entry?: number;
  limit?: number;
  /** Newest first. */
  descending?: boolean;
};

/** A view of a log. Records of calls name it by `viewKey`. */
export type ReadLastBuild = Required<Pick<ReadStream, 'projectId' | 'streamId' | 'afterSeq' | 'uptoSeq'>> & {
  viewKey: string;
  /** Events of the view, of its run only where it has one. */
  types: readonly EventType[];
  runId: string | null;
  /** Events about the view, whoever wrote them. */
  typesOfAnyRun: readonly EventType[];
  /** Of results that the view masks only the outline is read where they have at least so many chars and nothing shows more of them. */
  leastOutlinedChars: number;
};

/** What digests of ranges are taken over. */
export type EventDigest = Pick<StoredEvent, 'seq' | 'runId' | 'digest'>;
export type ReadDigests = Required<Pick<ReadStream, 'projectId' | 'streamId' | 'afterSeq' | 'uptoSeq'>>;

/** The event log. `append` carries many units in one flight; one unit's failure does not fail the others. */
export interface EventLog {
  append(units: readonly AppendUnit[]): Promise<AppendResult[]>;
  read(query: ReadStream): Promise<StoredEvent[]>;
  /**
   * In one read what the next build of a view needs while nothing else changes: the last call that recorded a build of it, all
   * events from where its record says, and the single older ones that it names. Without such a call all of the view. In order
   * of seq.
   */
  readLastBuild(query: ReadLastBuild): Promise<ViewEvent[]>;
  /** Of every event in the bounds, in order of seq, without their bodies. */
  digests(query: ReadDigests): Promise<EventDigest[]>;
  version(projectId: string, streamId: string): Promise<StreamVersion | null>;
  /** Stores a body once per project under its SHA-256 (hex) and returns nothing; the same hash again is a no-op. */
  putPayload(projectId: string, hash: string, body: unknown): Promise<void>;
  getPayload(projectId: string, hash: string): Promise<unknown>;
}
