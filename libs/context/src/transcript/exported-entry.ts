import { z } from 'zod';
import { contentSchema, jsonSchema, type EventInput } from '#libs/domain';
import type { TranscriptMessage } from './transcript.js';

/** What an export notes in `meta` of a message that is no plain user message; to another program it is one. */
const noted = z.discriminatedUnion('entry', [
  z.looseObject({ entry: z.literal('documents'), name: z.string().nullish() }),
  z.looseObject({
    entry: z.literal('memory'),
    memory: z.record(z.string(), jsonSchema),
    memory_seq: z.number().int().nonnegative(),
  }),
]);

export type ExportedEntry =
  | { type: 'DocumentsProvided'; data: EventInput<'DocumentsProvided'> }
  | { type: 'MemoryShown'; data: EventInput<'MemoryShown'> };

/** The entry that a user message of an export stands for; null: a user message. */
export function exportedEntry(message: TranscriptMessage | undefined): ExportedEntry | null {
  if (message?.role !== 'user') return null;
  const parsed = noted.safeParse(message.meta);
  if (!parsed.success) return null;
  if (parsed.data.entry === 'memory') {
    const { memory, memory_seq } = parsed.data;
    return { type: 'MemoryShown', data: { memory, memory_seq } };
  }
  const content = contentSchema.safeParse(message.content);
  if (!content.success) return null;
  const { name } = parsed.data;
  return { type: 'DocumentsProvided', data: { content: content.data, ...(name == null ? {} : { name }) } };
}
