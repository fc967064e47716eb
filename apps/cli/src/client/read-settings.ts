import { readYamlFile } from './read-yaml-file.js';

/**
 * A YAML or JSON file as the body of a request; the server checks it and says what is wrong with it. `-`: standard input.
 * @throws UsageError when it cannot be read, AppError when it is neither.
 */
// Its type is what the caller sends it as: the server is who checks it.
export function readSettings<T>(file: string): T;
export function readSettings(file: string): unknown {
  return readYamlFile(file);
}
