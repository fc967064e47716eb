import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { packageRoot } from './package-root.js';

/** The version in Weir's package.json. */
export function weirVersion(): string {
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')))
    .version;
}
