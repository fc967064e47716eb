/**
 * Whether `error` is the system's (`ENOENT`, `EEXIST` …). By shape, not `instanceof Error`: under jest, Node's own
 * modules throw errors of another realm.
 */
export function isSystemError(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
