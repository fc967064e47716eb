import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { AppError, jsonObjectSchema, type JsonObject } from '#libs/domain';
import { UsageError } from '../terminal/exit-code.js';

/** A pipeline document and the name in it. `-`: standard input. */
export async function readDocument(file: string): Promise<{ name: string; document: JsonObject }> {
  const parsed = parseDocument(readText(file), { prettyErrors: true });
  if (parsed.errors.length > 0) {
    const faults = parsed.errors.map((error) => `  ${error.message.split('\n')[0] ?? error.message}`);
    throw new AppError('malformed_yaml', [`${file} is not YAML:`, ...faults].join('\n'));
  }
  const document = jsonObjectSchema.safeParse(parsed.toJS({ maxAliasCount: 100 }));
  if (!document.success)
    throw new AppError('malformed_document', `${file} is not a pipeline document: expected an object of JSON values.`);
  const name = document.data['name'];
  if (typeof name !== 'string' || name === '')
    throw new AppError('pipeline_invalid', `${file}: name: expected the pipeline's name.`);
  return { name, document: document.data };
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
