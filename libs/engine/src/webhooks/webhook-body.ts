import { isJsonObject, type Json, type JsonObject } from '#libs/domain';
import type { AnnouncedFacts, ClaimedDelivery } from '../ports/trigger-store.port.js';

/** Of a test delivery: it announces nothing. */
export const TEST_EVENT_TYPE = 'WebhookTest';

/** Members of event data that say nothing of prompts, inputs and results. */
const WITHOUT_CONTENT = ['approval_id', 'kind', 'tool', 'decision', 'attempt', 'version', 'steps'] as const;

/** What is sent: the same text at every attempt of a delivery. */
export function webhookBody(delivery: ClaimedDelivery, facts: AnnouncedFacts | null): string {
  if (facts === null)
    return JSON.stringify({ type: delivery.eventType, timestamp: delivery.createdAt, data: { test: true } });
  const { run, data } = facts;
  return JSON.stringify({
    type: facts.type,
    timestamp: facts.recordedAt,
    data: {
      event_id: facts.eventId,
      run: {
        id: run.id,
        pipeline: { name: run.pipeline, version: run.version },
        stream_id: run.streamId,
        tags: run.tags,
      },
      step_id: facts.stepId,
      item: facts.item,
      round: facts.round,
      event: delivery.includesContent ? data : withoutContent(data),
    },
  });
}

function withoutContent(data: JsonObject): JsonObject {
  const { error = null } = data;
  const kept = WITHOUT_CONTENT.flatMap((key): [string, Json][] => {
    const value = data[key];
    return value === undefined ? [] : [[key, value]];
  });
  // The detail of an error may quote what a model or a tool said.
  if (isJsonObject(error)) kept.push(['error', { code: error['code'] ?? null, step_id: error['step_id'] ?? null }]);
  return Object.fromEntries(kept);
}
