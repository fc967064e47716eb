import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first of `names` on `searchPath` (a PATH), names before folders; null when there is none. */
export function findExecutable(names: readonly string[], searchPath: string | undefined): string | null {
  const folders = (searchPath ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there or not ours to run: the next folder may have it.
    return false;
  }
}
