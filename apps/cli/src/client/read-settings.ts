import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { AppError } from '#libs/domain';
import { UsageError } from '../terminal/exit-code.js';

/**
 * A YAML or JSON file as the body of a request; the server checks it and says what is wrong with it. `-`: standard input.
 * @throws UsageError when it cannot be read, AppError when it is neither.
 */
// Its type is what the caller sends it as: the server is who checks it.
export function readSettings<T>(file: string): T;
export function readSettings(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  try {
    const settings: unknown = parse(text, { maxAliasCount: 100 });
    return settings;
  } catch (cause) {
    const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw new AppError('malformed_yaml', `${file} is neither YAML nor JSON: ${reason}`, {}, { cause });
  }
}
