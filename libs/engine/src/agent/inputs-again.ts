import type { ViewSpec } from '#libs/context';
import { canonicalJson, ENTRY_TYPES, type Content, type Json } from '#libs/domain';
import type { StepRunRecord } from '../ports/run-records.port.js';
import type { ReadLog, SubStream } from './read-kept-events.js';

/** What a step hands to its agent. */
export type GivenInputs = { task: Content; documents: Content | null };

type Before = { row: StepRunRecord; view: ViewSpec; redact: (value: Json) => Json };

/**
 * What a step says that had begun before in this run. `documents`: other ones than before. `task`: another one than before, or
 * the same again behind other documents and where the conversation went on without it.
 */
export async function inputsAgain(
  log: ReadLog,
  place: SubStream,
  inputs: GivenInputs,
  before: Before,
): Promise<{ documents: Content | null; task: 'changed' | 'reissued' | null }> {
  const { task, documents } = await changedInputs(log, place, inputs, before);
  if (task) return { documents, task: 'changed' };
  const isDue = documents !== null || (await needsTaskAgain(log, place, before));
  return { documents, task: isDue ? 'reissued' : null };
}

/** Only a retry can change them: by another version, or by other outputs of the steps before this one. */
async function changedInputs(
  log: ReadLog,
  place: SubStream,
  { task, documents }: GivenInputs,
  { row, redact }: Before,
): Promise<{ documents: Content | null; task: boolean }> {
  if (row.attempt === 1) return { documents: null, task: false };
  const before = await givenBefore(log, place, row);
  // What is stored is redacted.
  const isOther = (now: Content, then: Content | null): boolean =>
    then === null || canonicalJson(redact(now)) !== canonicalJson(then);
  return {
    documents: documents !== null && isOther(documents, before.documents) ? documents : null,
    task: isOther(task, before.task),
  };
}

async function givenBefore(
  log: ReadLog,
  place: SubStream,
  { runId, round, cutoffSeq }: StepRunRecord,
): Promise<{ task: Content | null; documents: Content | null }> {
  const types = ['UserMessageReceived', 'DocumentsProvided'] as const;
  const given: { task: Content | null; documents: Content | null } = { task: null, documents: null };
  for (const event of await log.read({ ...place, runId, types, afterSeq: cutoffSeq ?? 0 })) {
    if (event.round !== round) continue;
    if (event.type === 'DocumentsProvided') given.documents = event.data.content;
    else if (event.type === 'UserMessageReceived' && event.data.origin === 'task') given.task = event.data.content;
  }
  return given;
}

/** Other runs wrote since this run's last word, or the run's conversation ended in an answer that was not good enough. */
async function needsTaskAgain(log: ReadLog, place: SubStream, { row, view }: Before): Promise<boolean> {
  const [last] = await log.read({ ...place, types: ENTRY_TYPES, descending: true, limit: 1 });
  if (last === undefined) return true;
  if (last.runId !== row.runId) return view.mode === 'inherit';
  if (last.type !== 'LlmCallCompleted' || last.data.message.tool_calls.length > 0) return false;
  const query = { ...place, afterSeq: last.seq, types: ['ConversationInterrupted'], limit: 1 } as const;
  return (await log.read(query)).length > 0;
}
