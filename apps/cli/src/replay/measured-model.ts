import { API_FORMATS, type ApiFormat, type ModelFacts } from '#libs/context';
import { recordedModel } from '#libs/engine';
import { createModels } from '#libs/models';
import { loadSettings } from '#libs/platform';
import { UsageError } from '../terminal/exit-code.js';

/** As whom a session is measured: `--model` of the catalogue and of weir.yml, `--api-format`, or neither. */
export function measuredModel(named: string | undefined, apiFormat: ApiFormat | undefined): ModelFacts {
  return recordedModel(named === undefined ? null : factsOf(named), apiFormat ?? null);
}

function factsOf(model: string): ModelFacts {
  const { connections, models } = loadSettings();
  const known = createModels({ connections, overrides: models }).facts(model);
  if (known.ok) return known.facts;
  throw new UsageError(known.detail);
}

export const apiFormatOption = { flags: '--api-format <format>', choices: [...API_FORMATS] };
