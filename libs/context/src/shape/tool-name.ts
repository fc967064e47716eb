import type { FormatProfile } from './formats.js';

/** `name` as the format takes it; `unknown_tool` when nothing of it can be kept. */
export function fitToolName(name: string, profile: FormatProfile): string {
  if (hasFittingName(name, profile)) return name;
  const plain = name.replace(/[^a-zA-Z0-9_-]/gu, '_');
  if (!/[a-zA-Z0-9]/.test(plain.slice(0, profile.toolName.maxLength))) return 'unknown_tool';
  const kept = plain.slice(0, profile.toolName.maxLength);
  // Some formats want a letter or an underscore first.
  return profile.toolName.pattern.test(kept) ? kept : `_${plain}`.slice(0, profile.toolName.maxLength);
}

export const hasFittingName = (name: string, profile: FormatProfile): boolean =>
  name.length <= profile.toolName.maxLength && profile.toolName.pattern.test(name);
