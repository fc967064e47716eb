import { readFileSync } from 'node:fs';
import { AppError, type Json } from '#libs/domain';
import { readYaml, yamlFaultText } from '#libs/platform';
import { UsageError } from '../terminal/exit-code.js';

/** @throws UsageError when it cannot be read. `-`: standard input. */
export function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/**
 * What a YAML or JSON file says. `-`: standard input.
 * @throws UsageError when it cannot be read, AppError `malformed_yaml` with all faults when it is neither, or too much.
 */
export function readYamlFile(file: string): Json {
  const result = readYaml(readText(file));
  if (result.ok) return result.value;
  const lines = result.faults.map((fault) => `  ${yamlFaultText(fault)}`);
  throw new AppError('malformed_yaml', [`${file} is not YAML or JSON that can be read:`, ...lines].join('\n'));
}
