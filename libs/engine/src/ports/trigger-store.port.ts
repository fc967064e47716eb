import type {
  AnnouncedEventType,
  AttemptOutcome,
  CatchUpPolicy,
  JsonObject,
  OverlapPolicy,
  RunTemplate,
} from '#libs/domain';

/** Times are RFC 3339, UTC. */
export type ScheduleRecord = {
  projectId: string;
  name: string;
  cron: string;
  timezone: string;
  overlap: OverlapPolicy;
  catchUp: CatchUpPolicy;
  catchUpWindowMs: number;
  start: RunTemplate;
  revision: number;
  pausedAt: string | null;
  nextAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type TickOutcome = 'started' | 'skipped' | 'missed' | 'failed';

export type TickRecord = {
  at: string;
  outcome: TickOutcome;
  isManual: boolean;
  /** More than one: those missed from `at` on. */
  ticks: number;
  runId: string | null;
  detail: string | null;
  recordedAt: string;
};

/** `at` null: now, by the database's clock. */
export type NewTick = Omit<TickRecord, 'recordedAt' | 'at'> & { projectId: string; name: string; at: string | null };

export type LockedSchedule = {
  schedule: ScheduleRecord;
  /** Runs that it started and that have not ended. */
  openRuns: string[];
  /** The database's clock, in milliseconds since 1970: one clock for all processes. */
  now: number;
};

export type AnnouncedEvent = { eventId: string; type: AnnouncedEventType; runId: string };

/** An attempt that this process may make now. */
export type ClaimedDelivery = {
  projectId: string;
  deliveryId: string;
  endpointId: string;
  eventId: string | null;
  eventType: string;
  runId: string | null;
  createdAt: string;
  /** Counted from 1; who reports on another one is too late. */
  attempt: number;
  url: string;
  includesContent: boolean;
  /** Those in force, the newest first. Never logged. */
  secrets: string[];
};

/** What a webhook says: an event and the run that it is of. `data` as stored. */
export type AnnouncedFacts = {
  eventId: string;
  type: string;
  stepId: string | null;
  item: number | null;
  round: number;
  data: JsonObject;
  recordedAt: string;
  run: { id: string; pipeline: string; version: number; streamId: string; tags: string[] };
};

export type DeliveryResult = {
  projectId: string;
  deliveryId: string;
  endpointId: string;
  attempt: number;
  outcome: AttemptOutcome;
  next: { kind: 'delivered' } | { kind: 'retry'; delayMs: number } | { kind: 'dead' };
  error: string | null;
};

export type HookReceipt = {
  outcome: 'started' | 'signalled' | 'ignored';
  runId: string | null;
  signalId: string | null;
};

export type HookDeliveryKey = { projectId: string; name: string; deliveryHash: string };

/** Schedules, webhooks and hooks within a transaction. Their rows are locked before any run. */
export interface TriggerTransaction {
  /** Null: it does not exist, or another process has it. */
  lockSchedule(projectId: string, name: string): Promise<LockedSchedule | null>;
  moveSchedule(projectId: string, name: string, nextAt: string | null): Promise<void>;
  insertTick(tick: NewTick): Promise<void>;
  /** A delivery for each enabled endpoint that takes the type; events that were announced before are left out. */
  announce(projectId: string, events: readonly AnnouncedEvent[], newId: () => string): Promise<void>;
  /** False: this delivery came before. A second one in flight waits here for the first. */
  claimHookDelivery(key: HookDeliveryKey): Promise<boolean>;
  storeHookReceipt(key: HookDeliveryKey, receipt: HookReceipt): Promise<void>;
}

/** The same outside a transaction. */
export interface TriggerStore {
  /** Not paused, with a tick that is due; the longest due first. */
  findDueSchedules(limit: number): Promise<{ projectId: string; name: string }[]>;
  /**
   * Takes due deliveries of enabled endpoints, at most `perEndpoint` each, none of `busy` endpoints. Who does not report
   * within `leaseMs` loses them.
   */
  claimDeliveries(claim: {
    limit: number;
    perEndpoint: number;
    busy: readonly string[];
    leaseMs: number;
  }): Promise<ClaimedDelivery[]>;
  /** Null: the event was erased. */
  announcedFacts(projectId: string, eventId: string): Promise<AnnouncedFacts | null>;
  /** Writes the result unless a newer attempt began; true when the endpoint was disabled by it. */
  storeDeliveryResult(result: DeliveryResult): Promise<{ disabled: boolean }>;
  getHookReceipt(key: HookDeliveryKey): Promise<HookReceipt | null>;
  /** Forgets what ended longer ago than this; at most `limit` rows of each kind. */
  forgetDeliveries(olderThanMs: number, limit: number): Promise<number>;
}
