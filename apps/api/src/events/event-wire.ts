import type { EventType, JsonObject, StoredEvent } from '#libs/domain';
import type { Event } from './event.schema.js';

/** Types whose data say nothing of prompts, inputs or results. All others need `content:read`, new ones too until listed here. */
const SHOWN_WITHOUT_CONTENT: ReadonlySet<EventType> = new Set<EventType>([
  'RunStarted',
  'RunRetried',
  'StepQueued',
  'StepStarted',
  'StepReleased',
  'StepWaiting',
  'StepWoken',
  'StepSkipped',
  'StepCancelled',
  'LlmCallStarted',
  'ToolCallStarted',
  'ToolOutcomeUnknown',
  'ConversationInterrupted',
  'EventErased',
  'CompactionRequested',
  'CompactionSkipped',
  'CompactionRolledBack',
  'CompactionWaitExpired',
]);

/** An event as in the store. `data` is null where it holds content that the caller may not see. */
export function toEvent(event: StoredEvent, showsContent: boolean): Event {
  const data: JsonObject = event.data;
  return {
    cursor: event.cursor,
    position: event.position,
    stream_id: event.streamId,
    seq: event.seq,
    event_id: event.eventId,
    type: event.type,
    schema_version: event.schemaVersion,
    run_id: event.runId,
    step_id: event.stepId,
    item: event.item,
    round: event.round,
    entry: event.entry,
    data: showsContent || SHOWN_WITHOUT_CONTENT.has(event.type) ? data : null,
    chars: event.chars,
    digest: event.digest,
    recorded_at: event.recordedAt,
  };
}
