import type { Transcript } from '#libs/context';
import { canonicalJson, parseJson, type JsonObject } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { newEvent, sha256 } from '../new-event.js';
import type { AppendUnit } from '../ports/event-log.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { conversationEvents, type ConversationPlace } from './conversation-events.js';
import { importReport, type ImportReport } from './import-report.js';

export type ImportConversation = ConversationPlace & {
  projectId: string;
  /** Names the conversation where it comes from; null: its content does. */
  sourceId: string | null;
  transcript: Transcript;
  /** Written into the stream's memory. */
  memory: JsonObject;
  /** Does all of it and takes it back. */
  dryRun: boolean;
};

export type ImportConversationResult =
  /** `unchanged`: all of it had been imported under this source id. */
  | { status: 'imported' | 'unchanged'; sourceId: string; version: number; appended: number; report: ImportReport }
  /** Under this source id something else was imported. */
  | { status: 'differs'; sourceId: string }
  | { status: 'stream_busy'; runId: string }
  /** Nothing in it can be shown to a model. */
  | { status: 'empty'; report: ImportReport };

/**
 * Appends a conversation that was led elsewhere to a step's sub-stream, whole or not at all. No run may hold the stream
 * meanwhile: its step would find its conversation changed in the middle.
 */
export async function importConversation(
  deps: Pick<EngineDeps, 'runs' | 'redact'>,
  command: ImportConversation,
): Promise<ImportConversationResult> {
  const report = importReport(command.transcript);
  if (report.entries === 0) return { status: 'empty', report };
  const sourceId = command.sourceId ?? sha256(canonicalJson(parseJson(JSON.stringify(command.transcript))));
  const units = unitsOf(deps, command, sourceId);
  return deps.runs
    .transact(async (tx) => {
      const outcome = await appendAll(tx, command, units, sourceId, report);
      if (command.dryRun) throw new TakenBack(outcome);
      return outcome;
    })
    .catch((error: unknown) => {
      if (error instanceof TakenBack) return error.outcome;
      throw error;
    });
}

/** Rolls a transaction back and carries out what it would have done. */
class TakenBack extends Error {
  override readonly name = 'TakenBack';

  constructor(readonly outcome: ImportConversationResult) {
    super('taken back');
  }
}

function unitsOf(
  deps: Pick<EngineDeps, 'redact'>,
  { projectId, transcript, memory, ...place }: ImportConversation,
  sourceId: string,
): AppendUnit[] {
  const subject = { runId: null, stepId: null, item: null, round: 0, streamId: place.streamId };
  const written = Object.entries(memory).map(([key, value]) =>
    newEvent(deps.redact, subject, 'MemoryWritten', ['import', sourceId, key], { key, value }),
  );
  const events = conversationEvents(deps, place, transcript, sourceId);
  return [
    ...(written.length === 0 ? [] : [{ projectId, streamId: place.streamId, events: written }]),
    { projectId, streamId: place.subStream, events },
  ];
}

async function appendAll(
  tx: RunTransaction,
  { projectId, streamId, subStream }: ImportConversation,
  units: readonly AppendUnit[],
  sourceId: string,
  report: ImportReport,
): Promise<ImportConversationResult> {
  const before = await tx.lockStreams(projectId, [streamId, subStream]);
  const holder = await tx.streamHolder(projectId, streamId);
  if (holder !== null) return { status: 'stream_busy', runId: holder.runId };
  let version = 0;
  let isRepeated = true;
  for (const result of await tx.append(units)) {
    // Nothing else of an append can be refused here: there is neither a fence nor an expected version.
    if (result.status !== 'appended') throw new TakenBack({ status: 'differs', sourceId });
    version = result.version;
    isRepeated &&= result.repeated;
  }
  const appended = version - (before.get(subStream)?.version ?? 0);
  return { status: isRepeated ? 'unchanged' : 'imported', sourceId, version, appended, report };
}
