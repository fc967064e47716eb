/**
 * The environment for a process that Weir starts: this one's with `changes`; null takes a variable away.
 * The operator's own variables pass through, because `weir.yml` may name them.
 */
export function processEnvironment(changes: Readonly<Record<string, string | null>>): NodeJS.ProcessEnv {
  const merged = Object.entries({ ...process.env, ...changes });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** PATH of this process. */
export function searchPath(): string {
  return process.env['PATH'] ?? '';
}
