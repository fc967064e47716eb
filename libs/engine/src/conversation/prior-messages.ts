import { effectivePolicy, type Transcript } from '#libs/context';
import { effectiveStep, subStreamId, type NewEvent, type PipelineDefinition } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import type { NewRun } from '../ports/run-records.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { conversationEvents } from './conversation-events.js';

type PriorDeps = Pick<EngineDeps, 'redact' | 'settings'>;

/** What was said before a run, for each of its steps that keeps a conversation. */
export type PriorMessages = { subStream: string; events: NewEvent[] }[];

/** Steps whose agents go on in the conversation of the stream: those that inherit, outside `for_each`. */
export function conversationSteps(deps: Pick<EngineDeps, 'settings'>, definition: PipelineDefinition): string[] {
  return definition.steps.flatMap(({ id }) => {
    const effective = effectiveStep(definition, id);
    if (effective?.agent == null) return [];
    const levels = { ...effective.contextLevels, settings: deps.settings.serverContext };
    return effectivePolicy(levels, false).mode === 'inherit' ? [id] : [];
  });
}

/** The messages that a run is started with, as events; every step that keeps a conversation gets them all. */
export function priorMessages(
  deps: PriorDeps,
  run: NewRun,
  definition: PipelineDefinition,
  transcript: Transcript,
): PriorMessages {
  const { streamId } = run;
  return conversationSteps(deps, definition).map((stepId) => {
    const subStream = subStreamId(streamId, stepId, null);
    const place = { streamId, subStream, stepId, item: null };
    return { subStream, events: conversationEvents(deps, place, transcript, run.runId) };
  });
}

/** Stores them in the transaction that accepts the run. Null, or the sub-stream that has a conversation already. */
export async function storePriorMessages(
  tx: RunTransaction,
  { projectId, streamId }: NewRun,
  prior: PriorMessages,
): Promise<string | null> {
  await tx.lockStreams(projectId, [streamId, ...prior.map(({ subStream }) => subStream)]);
  const units = prior.map(({ subStream, events }) => ({ projectId, streamId: subStream, events, expectedVersion: 0 }));
  const results = await tx.append(units);
  const refused = results.findIndex((result) => result.status !== 'appended');
  return refused === -1 ? null : (prior[refused]?.subStream ?? null);
}
