import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '#libs/domain';
import { isSystemError } from '../services/system-error.js';
import { parseEnvironment, type Environment } from './environment.js';
import { parseOperatorFile, type OperatorFile } from './operator-file.js';
import { resolveSettings, type Settings } from './settings.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The only place that reads the process environment and `weir.yml` (`WEIR_CONFIG`, else `./weir.yml` when it exists).
 * `defaults` stand where the environment says nothing; `overrides` (a command's own options) win over it.
 */
export function loadSettings(from: { readonly defaults?: Variables; readonly overrides?: Variables } = {}): Settings {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, text]) => text !== ''));
  const variables = { ...from.defaults, ...given, ...from.overrides };
  const environment = parseEnvironment(variables);
  return resolveSettings(environment, readOperatorFile(environment), variables);
}

function readOperatorFile(environment: Environment): OperatorFile {
  const path = resolve(environment.WEIR_CONFIG ?? 'weir.yml');
  try {
    return parseOperatorFile(readFileSync(path, 'utf8'), path);
  } catch (error) {
    const isMissing = isSystemError(error, 'ENOENT');
    if (isMissing && environment.WEIR_CONFIG === undefined) return parseOperatorFile('', path);
    if (error instanceof AppError) throw error;
    throw new AppError(
      'unreadable_configuration',
      `${path} (WEIR_CONFIG) cannot be read: ${String(error)}`,
      { path },
      { cause: error },
    );
  }
}
