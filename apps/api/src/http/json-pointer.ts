/** RFC 6901 in its fragment form. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1'));
  return `#${parts.map((part) => `/${part}`).join('')}`;
}
