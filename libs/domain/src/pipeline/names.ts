/** `name@version` and URLs are made of it. */
export const PIPELINE_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
export const PIPELINE_NAME_WORDS = 'a letter or digit, then at most 127 letters, digits, dots, underscores or hyphens';

/** The strictest of the providers' rules for tool names. */
export const TOOL_NAME_PATTERN = /^[a-zA-Z0-9_-]{1,64}$/;
export const TOOL_NAME_WORDS = '1 to 64 letters, digits, underscores or hyphens (providers refuse others)';

/** Agents follow the same pattern; nobody refuses theirs. */
export const AGENT_NAME_WORDS = '1 to 64 letters, digits, underscores or hyphens';

/** Inputs are fields in CEL. */
export const INPUT_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
export const INPUT_NAME_WORDS = 'a letter or underscore, then at most 63 letters, digits or underscores';

/** Words that CEL's grammar takes, so that they cannot stand after a dot. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);

export type PipelineReference = { readonly name: string; readonly version: number | null };

/** `name` or `name@3`; null when it is neither. */
export function parsePipelineReference(text: string): PipelineReference | null {
  const [name = '', version, ...rest] = text.split('@');
  if (rest.length > 0 || !PIPELINE_NAME_PATTERN.test(name)) return null;
  if (version === undefined) return { name, version: null };
  return /^[1-9]\d{0,8}$/.test(version) ? { name, version: Number(version) } : null;
}

export type ModelReference = { readonly connection: string; readonly model: string };

/** `connection:model`; the model may hold colons. `scripted` is a connection without models. Null when it is neither. */
export function parseModelReference(text: string): ModelReference | null {
  if (text === 'scripted') return { connection: 'scripted', model: '' };
  const colon = text.indexOf(':');
  const connection = text.slice(0, colon);
  const model = text.slice(colon + 1);
  if (colon < 1 || model.trim() === '' || !/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(connection)) return null;
  return { connection, model };
}
