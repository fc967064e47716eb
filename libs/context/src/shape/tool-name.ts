import type { FormatProfile } from './formats.js';

/** `name` as the format takes it; `unknown_tool` when nothing of it can be kept. */
export function fitToolName(name: string, profile: FormatProfile): string {
  if (hasFittingName(name, profile)) return name;
  const kept = name.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, profile.toolName.maxLength);
  return /[a-zA-Z0-9]/.test(kept) ? kept : 'unknown_tool';
}

export const hasFittingName = (name: string, profile: FormatProfile): boolean =>
  name.length <= profile.toolName.maxLength && profile.toolName.pattern.test(name);
