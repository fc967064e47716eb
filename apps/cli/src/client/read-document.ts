import { AppError, jsonObjectSchema, type JsonObject } from '#libs/domain';
import { readYamlFile } from './read-yaml-file.js';

/** A pipeline document and the name in it. `-`: standard input. */
export function readDocument(file: string): { name: string; document: JsonObject } {
  const document = jsonObjectSchema.safeParse(readYamlFile(file));
  if (!document.success)
    throw new AppError('malformed_document', `${file} is not a pipeline document: expected an object of JSON values.`);
  const name = document.data['name'];
  if (typeof name !== 'string' || name === '')
    throw new AppError('pipeline_invalid', `${file}: name: expected the pipeline's name.`);
  return { name, document: document.data };
}
