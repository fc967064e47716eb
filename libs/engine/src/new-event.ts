import { hash } from 'node:crypto';
import { entryChars, type EventBody } from '#libs/context';
import {
  canonicalJson,
  eventCatalogue,
  isJsonObject,
  parseJson,
  type JsonObject,
  type EventData,
  type EventInput,
  type EventSubject,
  type EventType,
  type Json,
  type JsonLike,
  type NewEvent,
  readEventData,
} from '#libs/domain';
import { namedUuids } from './named-uuid.js';

const eventUuid = namedUuids('6f0f3a52-6a53-4c62-9d3c-0a5c1d7f7b11');

/** SHA-256, hex, of a text's UTF-8. */
export const sha256 = (text: string): string => hash('sha256', text);

/**
 * Makes an event ready to append. The id is a UUID of what the event is about and `key` (call number, ordinal, try …),
 * never of a provider's id, so appending it again after a crash finds the stored one.
 */
export function newEvent<T extends EventType>(
  redact: (value: Json) => Json,
  subject: EventSubject & { streamId: string },
  type: T,
  key: readonly (string | number)[],
  input: EventInput<T>,
): NewEvent {
  const definition = eventCatalogue[type];
  const text = canonicalJson(jsonLike(input));
  const given = parseJson(text);
  const parsed = readEventData(type, definition.version, redact(given));
  // Nearly always nothing was redacted, and the schema has changed nothing.
  const isAsGiven: boolean = Object.is(parsed, given);
  const json = isAsGiven ? text : canonicalJson(parsed);
  return {
    type,
    eventId: eventId(subject, type, key),
    schemaVersion: definition.version,
    runId: subject.runId,
    stepId: subject.stepId,
    item: subject.item,
    round: subject.round,
    data: jsonObject(isAsGiven ? given : parseJson(json)),
    json,
    chars: definition.entry ? entryChars(bodyOf(type, parsed)) : 0,
    digest: sha256(json),
  };
}

// Events are JSON by their schemas; undefined members vanish as they would in the store.
function jsonLike(input: unknown): JsonLike;
function jsonLike(input: unknown): unknown {
  return input;
}

// The pair keeps its correlation only through the overload.
function bodyOf<T extends EventType>(type: T, data: EventData<T>): EventBody;
function bodyOf(type: EventType, data: unknown): unknown {
  return { type, data };
}

export function eventId(
  subject: EventSubject & { streamId: string },
  type: string,
  key: readonly (string | number)[],
): string {
  const parts = [
    subject.runId ?? subject.streamId,
    subject.stepId ?? '',
    subject.item ?? '',
    subject.round,
    type,
    ...key,
  ];
  return eventUuid(JSON.stringify(parts), subject.runId);
}

function jsonObject(data: Json): JsonObject {
  if (isJsonObject(data)) return data;
  throw new TypeError('event data are an object by their schema');
}
