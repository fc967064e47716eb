import { canonicalJson, type Json, type PolicyFault } from '#libs/domain';
import type { JsonObject } from '#libs/domain';
import {
  blocksSchema,
  budgetSchema,
  compactionSchema,
  contextBlockSchema,
  effectivePolicySchema,
  memoryPolicySchema,
  windowSchema,
  type ContextBlock,
  type EffectivePolicy,
  type WindowPolicy,
} from './policy-schema.js';
import { presets } from './presets.js';

/** The blocks of the four levels as written and already checked; null or absent where a level has none. */
export type PolicyLevels = {
  readonly settings?: unknown;
  readonly pipeline?: unknown;
  readonly agent?: unknown;
  readonly step?: unknown;
};

/**
 * The policy that holds for a step: nearest level first (step, agent, pipeline, settings), a section found nearer replaces the
 * whole section. `forItem`: the step is in the body of a `for_each`, where the mode is `fresh` unless said otherwise.
 * @throws ZodError when a level was not checked with `checkContextPolicy`.
 */
export function effectivePolicy(levels: PolicyLevels, forItem: boolean): EffectivePolicy {
  const near = [levels.step, levels.agent, levels.pipeline, levels.settings].flatMap(blockOf);
  const window = nearest(near, windowOf);
  const budget = nearest(near, (block) =>
    block.budget === 'off' ? null : block.budget && budgetSchema.parse(block.budget),
  );
  const blocks = nearest(near, (block) =>
    block.blocks === 'off' ? null : block.blocks && blocksSchema.parse(block.blocks),
  );
  const isUnnamed = window === undefined && (budget ?? null) === null && (blocks ?? null) === null;
  return {
    mode: nearest(near, (block) => block.mode) ?? (forItem ? 'fresh' : 'inherit'),
    window: isUnnamed ? windowSchema.parse({}) : (window ?? null),
    budget: budget ?? null,
    blocks: blocks ?? null,
    compaction:
      nearest(near, (block) => block.compaction && compactionSchema.parse(block.compaction)) ??
      compactionSchema.parse({}),
    memory:
      nearest(near, (block) => block.memory && memoryPolicySchema.parse(block.memory)) ?? memoryPolicySchema.parse({}),
  };
}

/** A block as written, without the defaults: only what it names may change a preset. */
function blockOf(value: unknown): ContextBlock[] {
  if (value === undefined || value === null) return [];
  contextBlockSchema.parse(value);
  return [value];
}

/** The first level that says something; `null` is something said (`off`). */
function nearest<T>(blocks: readonly ContextBlock[], read: (block: ContextBlock) => T | undefined): T | undefined {
  for (const block of blocks) {
    const found = read(block);
    if (found !== undefined) return found;
  }
  return undefined;
}

function windowOf(block: ContextBlock): WindowPolicy | null | undefined {
  if (block.window === 'off') return null;
  if (block.preset === undefined && block.window === undefined) return undefined;
  const base = block.preset === undefined ? {} : presets[block.preset];
  return windowSchema.parse({ ...base, ...block.window });
}

/** True when no level has a `context` block: applying such a pipeline returns the informational note. */
export function usesDefaultPolicy(levels: PolicyLevels): boolean {
  return [levels.step, levels.agent, levels.pipeline, levels.settings].every(
    (level) => level === undefined || level === null,
  );
}

/**
 * What only shows once all levels are merged and the model is known; `windowTokens` null where the catalogue has no window.
 * Paths are relative to the `context` block that is nearest.
 */
export function checkEffectivePolicy(policy: EffectivePolicy, windowTokens: number | null): PolicyFault[] {
  const faults: PolicyFault[] = [];
  if (policy.blocks !== null && policy.blocks.window_width_tokens === null && windowTokens === null) {
    faults.push({
      path: 'blocks.window_width_tokens',
      code: 'window_unknown',
      found: 'null',
      expected: 'a number of tokens',
      detail:
        "context.blocks needs a cap: the model's window is not in the catalogue; set context.blocks.window_width_tokens or the window in models.yml",
    });
  }
  const { max_summary_chars: summary } = policy.compaction;
  // The default is no choice of the author's: a small window bounds its summaries by itself.
  if (
    policy.window !== null &&
    summary >= policy.window.soft_cap_chars &&
    summary !== compactionSchema.parse({}).max_summary_chars
  ) {
    const expected = `less than window.soft_cap_chars (${policy.window.soft_cap_chars})`;
    faults.push({
      path: 'compaction.max_summary_chars',
      code: 'out_of_range',
      found: String(summary),
      expected,
      detail: `context.compaction.max_summary_chars must be ${expected}, found ${summary}`,
    });
  }
  return faults;
}

/** Canonical JSON of the policy; `policy_hash` is its SHA-256. */
export const policyCanonical = (policy: EffectivePolicy): string => canonicalJson(policyJson(policy));

/** The policy as `manifest.policy` holds it. */
export function policyJson(policy: EffectivePolicy): JsonObject {
  const json: { [key: string]: Json } = { ...policy };
  return json;
}

const known = new WeakMap<JsonObject, EffectivePolicy>();

/** @throws ZodError when the JSON is no effective policy. */
export function readPolicy(json: JsonObject): EffectivePolicy {
  const policy = known.get(json) ?? effectivePolicySchema.parse(json);
  known.set(json, policy);
  return policy;
}
