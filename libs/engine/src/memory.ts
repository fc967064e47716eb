import type { Json } from '#libs/domain';
import type { EventLog } from './ports/event-log.port.js';

/** The stream's memory as of a seq: rebuilt from the log, keys in the order of their first write. */
export async function readMemory(
  log: Pick<EventLog, 'read'>,
  projectId: string,
  streamId: string,
  uptoSeq: number,
): Promise<{ [key: string]: Json }> {
  if (uptoSeq === 0) return {};
  const events = await log.read({ projectId, streamId, uptoSeq, types: ['MemoryWritten', 'MemoryDeleted'] });
  const memory = new Map<string, Json>();
  for (const event of events) {
    if (event.type === 'MemoryWritten') memory.set(event.data.key, event.data.value);
    if (event.type === 'MemoryDeleted') memory.delete(event.data.key);
  }
  return Object.fromEntries(memory);
}
