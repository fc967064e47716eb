import type { ExpressionLanguage, Json, JsonObject, PipelineFacts } from '#libs/domain';
import type { ConversationCache } from './agent/conversation-cache.js';
import type { Admission } from './dispatch/admission.js';
import type { ComingSteps } from './dispatch/coming-steps.js';
import type { HeldSteps } from './claim/held-steps.js';
import type { CompactionStore } from './ports/compaction-store.port.js';
import type { EventLog } from './ports/event-log.port.js';
import type { ModelLimiter } from './ports/model-limiter.port.js';
import type { Models } from './ports/model.port.js';
import type { PipelineStore } from './ports/pipeline-store.port.js';
import type { Claimed, RunStore } from './ports/run-store.port.js';
import type { QueueEpoch, StepQueue, Wakeups } from './ports/step-queue.port.js';
import type { Tools } from './ports/tool.port.js';
import type { WebhookSender } from './ports/webhook-sender.port.js';

/** Where the engine tells operators what it does. Fields are ids and numbers, never payloads. */
export type EngineLogger = {
  debug(fields: JsonObject, message: string): void;
  info(fields: JsonObject, message: string): void;
  warn(fields: JsonObject, message: string): void;
  error(fields: JsonObject, message: string): void;
};

export type EngineSettings = {
  /** Random per process: a restarted process is another worker. */
  workerId: string;
  leaseMs: number;
  heartbeatMs: number;
  /** `connection:model` for agents whose pipeline names none, or null. */
  defaultModel: string | null;
  /** The server level of the context policy (`runtime.context` in weir.yml), as written. */
  serverContext: JsonObject | null;
  /** Tool calls of one answer that run at the same time. */
  maxParallelToolCalls: number;
  modelIdleTimeoutMs: number;
  modelTotalTimeoutMs: number;
  /** Lease expiries in a row without any progress (beginnings are none), after which a step is a dead letter. */
  maxStalls: number;
  /** How long a job may go on with the next steps of its run; later ones take their turn in the queue. 0: each step is a job. */
  goOnMs: number;
  /** How long a step that may be repeated runs before it is claimed, where nobody need ask what it is (ADR 0037). */
  claimAfterMs: number;
  /** How long a caller waits for the wake-ups after its commit, which then go on by themselves. Absent: until they are sent. */
  wakeUpWaitMs?: number;
};

/** Everything a use case may touch. Pure decisions get none of it. */
export type EngineDeps = {
  log: EventLog;
  runs: RunStore;
  compactions: CompactionStore;
  pipelines: PipelineStore;
  queue: StepQueue;
  wakeups: Wakeups;
  epoch: QueueEpoch;
  /** What this process knows of what waits for the queue. */
  admission: Admission;
  /** Steps that it has told the queue of before they are stored. */
  coming: ComingSteps;
  models: Models;
  /** Shared by all processes. */
  limiter: ModelLimiter;
  tools: Tools;
  webhooks: WebhookSender;
  expressions: ExpressionLanguage;
  /** What a document is checked against when it is applied. */
  pipelineFacts: PipelineFacts;
  /** Replaces secrets (the operator's, and those that look like one) in what is about to be stored. */
  redact: (value: Json) => Json;
  settings: EngineSettings;
  /** Does the work on a step, from its claim on; who observes looks on from here. */
  inStep: <T>(claimed: Claimed, work: () => Promise<T>) => Promise<T>;
  /** The steps that this process runs now. */
  held: HeldSteps;
  /** What it keeps of conversations between their jobs. */
  conversations: ConversationCache;
  logger: EngineLogger;
  now: () => Date;
  /** 0 (incl.) to 1 (excl.). */
  random: () => number;
  /** `run_…`, `apr_…` over UUIDv7. */
  newId: (prefix: 'run' | 'cmp' | 'apr' | 'sig' | 'whe' | 'whd' | 'hook') => string;
};
