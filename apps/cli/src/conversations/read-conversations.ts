import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { jsonObjectSchema, jsonSchema, readJson, type Json } from '#libs/domain';
import { UsageError } from '../terminal/exit-code.js';
import { linesOf } from './lines-of.js';

/** One conversation of a file, as an export writes it; `transcript` also as OpenAI's messages. */
export type FoundConversation = {
  streamId: string | null;
  stepId: string | null;
  item: number | null;
  sourceId: string | null;
  memory: { [key: string]: Json };
  transcript: Json;
};

/** Where it stands in the file, and what it is, or what is wrong with it. */
export type ReadConversation = { line: number } & ({ found: FoundConversation } | { fault: string });

const exported = z.looseObject({
  stream_id: z.string().nullish(),
  step_id: z.string().nullish(),
  item: z.number().int().nullish(),
  source_id: z.string().nullish(),
  memory: jsonObjectSchema.nullish(),
  transcript: jsonSchema,
});

/** What the API takes at most, in bytes; a line of more is not kept in memory. */
const MOST_LINE_CHARS = 10 * 1024 * 1024;

/**
 * The conversations of a file, one after the other: of NDJSON one a line, else the file is one. `-`: NDJSON from
 * standard input. @throws UsageError when the file cannot be read.
 */
export async function* readConversations(file: string, fromLine: number): AsyncGenerator<ReadConversation> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  const isLines = file === '-' || /\.(ndjson|jsonl)$/i.test(file);
  let text = '';
  let line = 0;
  try {
    for await (const next of linesOf(input, MOST_LINE_CHARS)) {
      line += 1;
      if (next === null) yield { line, fault: `longer than ${MOST_LINE_CHARS} characters, which no server takes` };
      else if (!isLines) text += `${next}\n`;
      else if (line >= fromLine && next.trim() !== '') yield { line, ...read(next) };
    }
  } catch (cause) {
    if (line > 0) throw cause;
    throw new UsageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (!isLines) yield { line: 1, ...read(text) };
}

function read(text: string): { found: FoundConversation } | { fault: string } {
  let value: Json;
  try {
    value = readJson(text);
  } catch (error) {
    return { fault: `not JSON: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}` };
  }
  const whole = exported.safeParse(value);
  if (whole.success) {
    const { stream_id, step_id, item, source_id, memory, transcript } = whole.data;
    return {
      found: {
        streamId: stream_id ?? null,
        stepId: step_id ?? null,
        item: item ?? null,
        sourceId: source_id ?? null,
        memory: memory ?? {},
        transcript,
      },
    };
  }
  const bare = { streamId: null, stepId: null, item: null, sourceId: null, memory: {} };
  const named = z.looseObject({ stream_id: z.string().optional(), source_id: z.string().optional() }).safeParse(value);
  const { stream_id: streamId = null, source_id: sourceId = null } = named.success ? named.data : {};
  return { found: { ...bare, streamId, sourceId, transcript: value } };
}
