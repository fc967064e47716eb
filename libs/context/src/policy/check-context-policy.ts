import type { PolicyFault } from '#libs/domain';
import type { z } from 'zod';
import {
  blocksSchema,
  budgetSchema,
  compactionSchema,
  contextBlockSchema,
  memoryPolicySchema,
  windowSchema,
} from './policy-schema.js';
import { presets } from './presets.js';

export type PolicyLevel = 'settings' | 'pipeline' | 'agent' | 'step';

const SECTIONS = {
  window: windowSchema,
  budget: budgetSchema,
  blocks: blocksSchema,
  compaction: compactionSchema,
  memory: memoryPolicySchema,
} as const;
type Section = keyof typeof SECTIONS;

/**
 * Everything that is wrong with a `context` block of one level, at once; empty when it is accepted. Paths are relative to the
 * block. `value` is parsed YAML or JSON.
 */
export function checkContextPolicy(value: unknown, level: PolicyLevel): PolicyFault[] {
  const parsed = contextBlockSchema.safeParse(value);
  const faults = parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOfIssue(issue, value, []));
  return [...faults, ...relations(value, level)];
}

type Issue = z.core.$ZodIssue;

function faultsOfIssue(issue: Issue, root: unknown, base: readonly PropertyKey[]): PolicyFault[] {
  const keys = [...base, ...issue.path];
  if (issue.code === 'invalid_union') return unionFaults(issue, root, keys);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey([...keys, key], root));
  const found = at(root, keys);
  const path = pathOf(keys);
  const expected = expectedBy(issue);
  const code =
    issue.code === 'invalid_type' ? 'wrong_type' : issue.code === 'invalid_value' ? 'unknown_value' : 'out_of_range';
  return [
    {
      path,
      code: found === null ? 'null_section' : code,
      found: describe(found),
      expected,
      detail: `context${path === '' ? '' : `.${path}`} must be ${expected}, found ${describe(found)}`,
    },
  ];
}

/** `off` or a section, `auto` or a number: the branch that is an object or number says what is wrong, unless the value is of neither kind. */
function unionFaults(
  issue: Issue & { code: 'invalid_union' },
  root: unknown,
  keys: readonly PropertyKey[],
): PolicyFault[] {
  const found = at(root, keys);
  const last = issue.errors.at(-1) ?? [];
  if (typeof found === 'object' && found !== null && !Array.isArray(found))
    return last.flatMap((inner) => faultsOfIssue(inner, root, keys));
  if (typeof found === 'number') return last.flatMap((inner) => faultsOfIssue(inner, root, keys));
  const path = pathOf(keys);
  const expected =
    keys.at(-1) === 'mask_batch_turns'
      ? '"auto" or a whole number of at least 1'
      : 'an object, or off to remove the section';
  return [
    {
      path,
      code: found === null ? 'null_section' : 'wrong_type',
      found: describe(found),
      expected,
      detail: `context.${path} must be ${expected}, found ${describe(found)}`,
    },
  ];
}

function unknownKey(keys: readonly PropertyKey[], root: unknown): PolicyFault {
  const path = pathOf(keys);
  const home = homeOf(String(keys.at(-1)), keys.length > 1 ? String(keys[0]) : null);
  const expected =
    home === null ? `one of ${keysOf(keys.length > 1 ? String(keys[0]) : null).join(', ')}` : `context.${home}`;
  const hint = home === null ? `use ${expected}` : `use context.${home}`;
  return {
    path,
    code: 'unknown_key',
    found: describe(at(root, keys)),
    expected,
    detail: `context.${path} is unknown; ${hint}`,
  };
}

/** The section that does know the key. */
function homeOf(key: string, section: string | null): Section | null {
  for (const name of Object.keys(SECTIONS).filter(isSection)) {
    if (name !== section && Object.hasOwn(SECTIONS[name].shape, key)) return name;
  }
  return null;
}

const isSection = (name: string): name is Section => Object.hasOwn(SECTIONS, name);
const keysOf = (section: string | null): string[] =>
  section !== null && isSection(section) ? Object.keys(SECTIONS[section].shape) : Object.keys(contextBlockSchema.shape);

/** Rules between fields. They read the raw value, so that they are reported beside faults of shape. */
function relations(value: unknown, level: PolicyLevel): PolicyFault[] {
  const faults: PolicyFault[] = [];
  const preset = at(value, ['preset']);
  const defaults = preset === 'chat' || preset === 'evals' ? presets[preset] : presets.coding_agent;
  const hasWindow = isObject(at(value, ['window']));
  const soft = numberAt(value, ['window', 'soft_cap_chars']) ?? defaults.soft_cap_chars;
  const hard = numberAt(value, ['window', 'hard_cap_chars']) ?? defaults.hard_cap_chars;
  if (hasWindow && hard < soft)
    faults.push(relation('window.hard_cap_chars', hard, `at least window.soft_cap_chars (${soft})`, level));
  const summary = numberAt(value, ['compaction', 'max_summary_chars']);
  if (summary !== null && (hasWindow || typeof preset === 'string') && summary >= soft) {
    faults.push(relation('compaction.max_summary_chars', summary, `less than window.soft_cap_chars (${soft})`, level));
  }
  const blocks = at(value, ['blocks']);
  const trigger = numberAt(value, ['blocks', 'compaction_trigger_ratio']) ?? 0.8;
  const target = numberAt(value, ['blocks', 'compaction_target_ratio']) ?? 0.5;
  if (isObject(blocks) && target >= trigger)
    faults.push(
      relation(
        'blocks.compaction_target_ratio',
        target,
        `less than blocks.compaction_trigger_ratio (${trigger})`,
        level,
      ),
    );
  return faults;
}

function relation(path: string, found: number, expected: string, level: PolicyLevel): PolicyFault {
  return {
    path,
    code: 'out_of_range',
    found: String(found),
    expected,
    detail: `context.${path} of the ${level} must be ${expected}, found ${found}`,
  };
}

function expectedBy(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int'
        ? 'a whole number'
        : issue.expected === 'number'
          ? 'a number'
          : issue.expected === 'object'
            ? 'an object'
            : `a ${issue.expected}`;
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${String(issue.minimum)}`;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${String(issue.maximum)}`;
    case 'invalid_value':
      return issue.values.map((one) => JSON.stringify(one)).join(' or ');
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return issue.message;
  }
}

const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function at(value: unknown, keys: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of keys)
    current = isObject(current) ? current[String(key)] : Array.isArray(current) ? current[Number(key)] : undefined;
  return current;
}

function numberAt(value: unknown, keys: readonly PropertyKey[]): number | null {
  const found = at(value, keys);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

const pathOf = (keys: readonly PropertyKey[]): string => keys.map(String).join('.');

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return JSON.stringify(value) ?? typeof value;
}
