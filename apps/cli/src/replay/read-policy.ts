import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { checkContextPolicy, effectivePolicy, type EffectivePolicy } from '#libs/context';
import { jsonObjectSchema, type JsonObject } from '#libs/domain';
import { UsageError } from '../terminal/exit-code.js';

/** A `context` block, alone or under that key, from YAML or JSON. No file: the default policy. */
export function readPolicyFile(file: string | undefined): { block: JsonObject; policy: EffectivePolicy } {
  const block = file === undefined ? {} : blockOf(readYaml(file), file);
  const faults = checkContextPolicy(block, 'pipeline');
  if (faults.length > 0) {
    const lines = faults.map(({ detail }) => `  ${detail}`);
    throw new UsageError([`${file ?? 'the policy'} is no context policy:`, ...lines].join('\n'));
  }
  return { block, policy: effectivePolicy({ pipeline: block }, false) };
}

function blockOf(value: unknown, file: string): JsonObject {
  const parsed = jsonObjectSchema.safeParse(value);
  if (!parsed.success) throw new UsageError(`${file} is no context policy: expected an object.`);
  const inner = jsonObjectSchema.safeParse(parsed.data['context']);
  return Object.keys(parsed.data).length === 1 && inner.success ? inner.data : parsed.data;
}

function readYaml(file: string): unknown {
  const parsed = parseDocument(readFile(file));
  const [first] = parsed.errors;
  if (first !== undefined) throw new UsageError(`${file} is not YAML: ${first.message}`);
  return parsed.toJS({ maxAliasCount: 100 });
}

/** @throws UsageError */
export function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
