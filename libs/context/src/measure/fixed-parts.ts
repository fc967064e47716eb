import { canonicalJson } from '#libs/domain';
import type { Manifest } from '../neutral.js';
import { isBlank, countCodePoints, wellFormed } from '../shape/index.js';
import { estimateTokens } from './estimate-tokens.js';
import { toolsChars } from './part-chars.js';
import { textKey } from './text-key.js';

/** The parts in front of the messages: system prompt and tools. They are the same for all builds of a manifest. */
export type FixedParts = {
  readonly system: string | null;
  readonly systemChars: number;
  readonly toolsChars: number;
  readonly tokens: number;
  readonly key: string;
};

const known = new WeakMap<Manifest, FixedParts>();

export function fixedParts(manifest: Manifest): FixedParts {
  const found = known.get(manifest);
  if (found !== undefined) return found;
  const prompt = manifest.system_prompt;
  const system = prompt === null || isBlank(prompt) ? null : wellFormed(prompt);
  const tools = canonicalJson(manifest.tools);
  const parts: FixedParts = {
    system,
    systemChars: countCodePoints(system ?? ''),
    toolsChars: toolsChars(manifest.tools),
    tokens: estimateTokens(system ?? '') + (manifest.tools.length === 0 ? 0 : estimateTokens(tools)),
    key: textKey(`${system ?? ''}\n${tools}`),
  };
  known.set(manifest, parts);
  return parts;
}
