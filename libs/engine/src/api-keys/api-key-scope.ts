/** What a key may do. `content:read` is asked for wherever prompts, results, inputs or outputs are shown. */
export const API_KEY_SCOPES = [
  'pipelines:write',
  'runs:write',
  'runs:read',
  'content:read',
  'approvals:decide',
  'admin:read',
  'admin:write',
] as const;

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

const KNOWN: ReadonlySet<string> = new Set(API_KEY_SCOPES);
export const isApiKeyScope = (text: string): text is ApiKeyScope => KNOWN.has(text);
