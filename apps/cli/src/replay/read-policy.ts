import { checkContextPolicy, effectivePolicy, type EffectivePolicy } from '#libs/context';
import { jsonObjectSchema, type JsonObject } from '#libs/domain';
import { readYamlFile } from '../client/read-yaml-file.js';
import { UsageError } from '../terminal/exit-code.js';

/** A `context` block, alone or under that key, from YAML or JSON. No file: the default policy. */
export function readPolicyFile(file: string | undefined): { block: JsonObject; policy: EffectivePolicy } {
  const block = file === undefined ? {} : blockOf(readYamlFile(file), file);
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
