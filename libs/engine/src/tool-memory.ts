import { parseJson, type EventInput, type EventSubject, type Json } from '#libs/domain';
import type { HeldStep } from './claim/held-steps.js';
import type { EngineDeps } from './engine-deps.js';
import { readMemory } from './memory.js';
import { newEvent } from './new-event.js';
import type { ToolMemory } from './ports/tool.port.js';
import type { RunRecord } from './ports/run-records.port.js';

export type MemoryWriter = {
  deps: Pick<EngineDeps, 'log' | 'redact'>;
  run: RunRecord;
  held: HeldStep;
  subject: EventSubject;
};

/** The stream's memory for one tool call: reads see the newest writes, writes are fenced events of the stream. */
export function stepMemory({ deps, run, held, subject }: MemoryWriter, callKey: string): ToolMemory {
  let writes = 0;
  const append = async <T extends 'MemoryWritten' | 'MemoryDeleted'>(type: T, data: EventInput<T>): Promise<void> => {
    const event = newEvent(deps.redact, { ...subject, streamId: run.streamId }, type, [callKey, writes], data);
    writes += 1;
    await held.claim();
    const fence = { kind: 'step' as const, id: held.stepRunId, fence: held.fence };
    const [result] = await deps.log.append([
      { projectId: run.projectId, streamId: run.streamId, events: [event], fence },
    ]);
    if (result?.status === 'fenced_out') held.stop('fenced');
  };
  const read = (): Promise<{ [key: string]: Json }> =>
    readMemory(deps.log, run.projectId, run.streamId, Number.MAX_SAFE_INTEGER);
  return {
    read,
    write: (key, value) => append('MemoryWritten', { key, value: plain(value) }),
    delete: async (key) => {
      if (!Object.hasOwn(await read(), key)) return false;
      await append('MemoryDeleted', { key });
      return true;
    },
  };
}

/** Nobody holds plugins to the type: a Date is written as its text, as everywhere else. */
function plain(value: Json): Json {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? value : parseJson(text);
}
