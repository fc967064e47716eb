import type { ModelFacts } from '#libs/context';
import {
  modelOfCall,
  RECORDED_MODEL,
  type ModelAt,
  type ModelCall,
  type ModelOutcome,
  type Models,
  type RecordedCalls,
} from '#libs/engine';
import type { ResolveHost } from '#libs/outbound';
import type { ConnectionSettings, ModelOverride } from '#libs/platform';
import { entryOf, type Catalogue } from './catalogue/catalogue.js';
import { loadCatalogue } from './catalogue/load-catalogue.js';
import { modelFacts, type FactsResult } from './catalogue/model-facts.js';
import { modelLimits } from './model-limits.js';
import { parseModelName } from './model-name.js';
import { modelFailure } from './outcome/model-failure.js';
import { builtinConnections, connectionProvider, isBuiltinConnection } from './providers/index.js';
import type { Likeness, ModelTarget, Provider } from './providers/provider.js';
import { Scripts } from './scripts/scripts.js';

export type ModelsOptions = {
  /** The operator's connections by name; `builtin`, `scripted` and `replay` need none and cannot be replaced. */
  connections: ReadonlyMap<string, ConnectionSettings>;
  /** By `connection:model`; wins over the catalogue. */
  overrides?: Readonly<Record<string, ModelOverride>>;
  /** For `scripted:<name>`; without it there are no scripts. */
  scripts?: Scripts;
  /** For `replay:<recording>`; without it there are no recordings. */
  recorded?: RecordedCalls;
  /** Without it the `models.yml` that ships with Weir. @throws AppError when that cannot be read */
  catalogue?: Catalogue;
  /** Instead of the system's resolver. */
  resolveHost?: ResolveHost;
};

type Found = { ok: true; provider: Provider; name: string; entry: Catalogue[string] } | { ok: false; detail: string };

type Known = { ok: true; provider: Provider; target: ModelTarget } | { ok: false; detail: string };

/** The models of a process. */
export function createModels(options: ModelsOptions): Models {
  const find = finder(options);
  const know = (model: string): Known => {
    const found = find(model);
    if (!found.ok) return found;
    const { provider, name } = found;
    const plain = modelFacts(model, name, found.entry, options.overrides?.[model] ?? {});
    const likeness = provider.likeness?.(name) ?? null;
    const known = likeness === null ? spoken(provider, plain) : alike(plain, likeness, facts);
    if (!known.ok) return known;
    const takesSchema =
      options.overrides?.[model]?.structured_output ?? entryOf(found.entry, name).structured_output ?? false;
    return { ok: true, provider, target: { name, facts: known.facts, takesSchema } };
  };
  const facts = (model: string): FactsResult => {
    const known = know(model);
    return known.ok ? { ok: true, facts: known.target.facts } : known;
  };
  return {
    facts,
    limits: (model) => modelLimits(model, options.connections, options.overrides ?? {}),
    async at(model, position): Promise<ModelAt> {
      const known = know(model);
      if (!known.ok) return { kind: 'unknown', detail: known.detail };
      const { provider, target } = known;
      const at = (await provider.at?.(target.name, position)) ?? { kind: 'call', model: null };
      return at.kind === 'call' ? { kind: 'call', facts: modelOfCall(target.facts, at.model) } : at;
    },
    async call(call: ModelCall): Promise<ModelOutcome> {
      const known = know(call.model);
      if (!known.ok) return modelFailure('invalid_request', known.detail);
      return known.provider.call(call, known.target);
    },
  };
}

/** A form that the provider's adapter does not speak would be found out only by the provider. */
function spoken({ formats }: Provider, facts: ModelFacts): FactsResult {
  if (formats === undefined || formats.includes(facts.apiFormat)) return { ok: true, facts };
  const detail = `models.${facts.id}.api_format in weir.yml: this connection does not speak ${facts.apiFormat}; expected one of ${formats.join(', ')}`;
  return { ok: false, detail };
}

/** Facts of a model that is measured as if it were another: window, prices and form are that one's. */
function alike(own: ModelFacts, likeness: Likeness, facts: (model: string) => FactsResult): FactsResult {
  const like: FactsResult = likeness.model === null ? { ok: true, facts: RECORDED_MODEL } : facts(likeness.model);
  if (!like.ok) return like;
  return { ok: true, facts: { ...like.facts, id: own.id, apiFormat: likeness.apiFormat ?? like.facts.apiFormat } };
}

const noRecordings: RecordedCalls = () =>
  Promise.resolve({ status: 'missing', detail: 'this process has no recordings' });

function finder(options: ModelsOptions): (model: string) => Found {
  const catalogue = options.catalogue ?? loadCatalogue();
  const builtin = builtinConnections({
    scripts: options.scripts ?? new Scripts(),
    recorded: options.recorded ?? noRecordings,
  });
  const providers = new Map<string, Provider>();
  const names = [...Object.keys(builtin), ...options.connections.keys()];
  return (model) => {
    const name = parseModelName(model);
    if (name === null)
      return {
        ok: false,
        detail: `${JSON.stringify(model)} is not a model: expected connection:model, for example openai:gpt-4.1-mini`,
      };
    const { connection } = name;
    if (isBuiltinConnection(connection)) return checked(builtin[connection], name.model, catalogue[connection]);
    const settings = options.connections.get(connection);
    if (settings === undefined) {
      return {
        ok: false,
        detail: `there is no connection ${connection} for ${model}; known are ${names.join(', ')}. Connections are set in weir.yml.`,
      };
    }
    const provider = providers.get(connection) ?? connectionProvider(settings, options.resolveHost);
    providers.set(connection, provider);
    return checked(provider, name.model, catalogue[settings.provider]);
  };
}

function checked(provider: Provider, name: string, entry: Catalogue[string] | undefined): Found {
  const detail = provider.check(name);
  if (detail !== null) return { ok: false, detail };
  return { ok: true, provider, name, entry: entry ?? { defaults: UNLISTED, models: {} } };
}

/** A provider without an entry in the catalogue: plain chat, caching as most have it, nothing else known. */
const UNLISTED: Catalogue[string]['defaults'] = {
  api_format: 'openai_chat',
  prompt_caching: true,
  cache_read_ratio: 0.1,
  cache_write_ratio: 1.25,
};
