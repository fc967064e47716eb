import { importTranscript, type Transcript } from '#libs/context';
import type { NewEvent } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { eventId, newEvent } from '../new-event.js';

/** Named where a transcript names no model. */
const UNKNOWN_MODEL = 'imported';

export type ConversationPlace = { streamId: string; subStream: string; stepId: string; item: number | null };

/**
 * A transcript as events of a sub-stream. They belong to no run; their ids come from the source's id and the place in the
 * transcript, so that importing it again finds them, and a longer version of it adds what is new.
 */
export function conversationEvents(
  { redact }: Pick<EngineDeps, 'redact'>,
  place: ConversationPlace,
  transcript: Transcript,
  sourceId: string,
): NewEvent[] {
  const { stepId, item, subStream } = place;
  const subject = { runId: null, stepId, item, round: 0, streamId: subStream };
  const { steps } = importTranscript(transcript, { origin: 'import', model: UNKNOWN_MODEL, callNumbers: 'import' });
  return steps.flatMap((step) => {
    if (step.kind === 'call') return [];
    const { type, data, key } = step.event;
    const parts = ['import', sourceId, ...key];
    // Not of the type: where a person spoke, an answer is another conversation, and found to be one.
    return [{ ...newEvent(redact, subject, type, parts, data), eventId: eventId(subject, 'imported', parts) }];
  });
}
