import { AppError } from '#libs/domain';

export type ConfigurationFault = { readonly path: string; readonly message: string };

/** Weir cannot start with these settings: `source` is `environment` or the path of the operator's file. */
export class ConfigurationError extends AppError {
  override readonly name = 'ConfigurationError';

  constructor(source: string, faults: readonly ConfigurationFault[]) {
    const lines = faults.map((fault) => `  ${fault.path === '' ? '(document)' : fault.path}: ${fault.message}`);
    super('invalid_configuration', `The settings in ${source} cannot be used:\n${lines.join('\n')}`, {
      source,
      faults: faults.map((fault) => ({ ...fault })),
    });
  }
}
