import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '#libs/domain';
import { parseCatalogue, type Catalogue } from './catalogue.js';

const FILE = 'models.yml';

/**
 * The catalogue that ships with Weir. Found by going up from this file, since sources and `dist` lie at different depths.
 * @throws AppError `catalogue_missing`, `catalogue_invalid`
 */
export function loadCatalogue(): Catalogue {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, FILE))) {
    const parent = dirname(folder);
    if (parent === folder)
      throw new AppError(
        'catalogue_missing',
        `${FILE} was not found above ${fileURLToPath(import.meta.url)}; it belongs in the root of the installation`,
      );
    folder = parent;
  }
  return parseCatalogue(readFileSync(join(folder, FILE), 'utf8'));
}
