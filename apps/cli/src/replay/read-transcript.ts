import { transcriptSchema, type Transcript } from '#libs/context';
import { readJson, type Json } from '#libs/domain';
import { UsageError } from '../terminal/exit-code.js';
import { readText } from '../client/read-yaml-file.js';

/** A recorded session as its file has it, and as it is read. */
export function readTranscript(file: string): { body: Json; transcript: Transcript } {
  const body = parseJson(file);
  const parsed = transcriptSchema.safeParse(body);
  if (parsed.success) return { body, transcript: parsed.data };
  const lines = parsed.error.issues.slice(0, 10).map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new UsageError([`${file} is no transcript:`, ...lines].join('\n'));
}

function parseJson(file: string): Json {
  try {
    return readJson(readText(file));
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${file} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
