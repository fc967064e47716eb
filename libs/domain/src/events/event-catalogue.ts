import type { z } from 'zod';
import * as compaction from './compaction-events.js';
import * as conversation from './conversation-events.js';
import * as run from './run-events.js';
import * as wait from './wait-events.js';

type Upcast = (data: unknown) => unknown;
type EventDefinition<S extends z.ZodType> = {
  schema: S;
  /** The version that is written today. */
  version: number;
  /** What a model can see has an `entry` number. */
  entry: boolean;
  /** From version n (key) to n + 1; one for each older version that was ever released. */
  upcasts: { [fromVersion: number]: Upcast };
};

function event<S extends z.ZodType>(schema: S, options: { entry?: boolean } = {}): EventDefinition<S> {
  return { schema, version: 1, entry: options.entry ?? false, upcasts: {} };
}

/** Every event type. To add one: its schema in a file of this folder and a line here. */
export const eventCatalogue = {
  RunCreated: event(run.runCreated),
  RunStarted: event(run.runStarted),
  RunCancelRequested: event(run.runCancelRequested),
  RunSucceeded: event(run.runSucceeded),
  RunFailed: event(run.runFailed),
  RunCancelled: event(run.runCancelled),
  RunTimedOut: event(run.runTimedOut),
  RunDeadLettered: event(run.runDeadLettered),
  RunRetried: event(run.runRetried),
  RunPaused: event(run.runPaused),
  RunResumed: event(run.runResumed),
  RunLabelled: event(run.runLabelled),
  SpendLimitChanged: event(run.spendLimitChanged),
  StepQueued: event(run.stepQueued),
  StepStarted: event(run.stepStarted),
  StepReleased: event(run.stepReleased),
  StepWaiting: event(run.stepWaiting),
  StepWoken: event(run.stepWoken),
  StepSucceeded: event(run.stepSucceeded),
  StepFailed: event(run.stepFailed),
  StepRetryScheduled: event(run.stepRetryScheduled),
  StepSkipped: event(run.stepSkipped),
  StepCancelled: event(run.stepCancelled),
  StepTimedOut: event(run.stepTimedOut),
  StepDeadLettered: event(run.stepDeadLettered),
  ApprovalRequested: event(wait.approvalRequested),
  ApprovalDecided: event(wait.approvalDecided),
  SignalReceived: event(wait.signalReceived),
  ItemsExpanded: event(wait.itemsExpanded),
  ItemStarted: event(wait.itemStarted),
  ItemEnded: event(wait.itemEnded),
  ItemsReopened: event(wait.itemsReopened),
  /** Keeps the `entry` of what it replaces. */
  EventErased: event(run.eventErased),
  MemoryWritten: event(run.memoryWritten),
  MemoryDeleted: event(run.memoryDeleted),
  UserMessageReceived: event(conversation.userMessageReceived, { entry: true }),
  DocumentsProvided: event(conversation.documentsProvided, { entry: true }),
  MemoryShown: event(conversation.memoryShown, { entry: true }),
  LlmCallStarted: event(conversation.llmCallStarted),
  LlmCallCompleted: event(conversation.llmCallCompleted, { entry: true }),
  LlmCallFailed: event(conversation.llmCallFailed),
  ToolCallRequested: event(conversation.toolCallRequested),
  ToolCallStarted: event(conversation.toolCallStarted),
  ToolCallCompleted: event(conversation.toolCallCompleted, { entry: true }),
  ToolOutcomeUnknown: event(conversation.toolOutcomeUnknown),
  ConversationInterrupted: event(conversation.conversationInterrupted),
  CompactionRequested: event(compaction.compactionRequested),
  ContextCompacted: event(compaction.contextCompacted),
  CompactionSkipped: event(compaction.compactionSkipped),
  CompactionDiscarded: event(compaction.compactionDiscarded),
  CompactionFailed: event(compaction.compactionFailed),
  CompactionRolledBack: event(compaction.compactionRolledBack),
  CompactionWaitExpired: event(compaction.compactionWaitExpired),
  HardCapExceeded: event(compaction.hardCapExceeded),
};

export type EventType = keyof typeof eventCatalogue;
export type EventData<T extends EventType> = z.infer<(typeof eventCatalogue)[T]['schema']>;
export type EventInput<T extends EventType> = z.input<(typeof eventCatalogue)[T]['schema']>;

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventCatalogue, type);

const byName = new Map<string, EventType>(
  Object.keys(eventCatalogue)
    .filter(isEventType)
    .map((type) => [type, type]),
);

/** The catalogue's own text of a type: what was just read is another one, which is compared char by char wherever it is looked at. */
export const eventTypeOf = (name: string): EventType | undefined => byName.get(name);
export const isEntryType = (type: EventType): boolean => eventCatalogue[type].entry;
export const ENTRY_TYPES: readonly EventType[] = Object.keys(eventCatalogue).filter(isEventType).filter(isEntryType);
