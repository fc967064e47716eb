import type { ModelOutcome, Models } from '#libs/engine';
import type { ConnectionSettings } from '#libs/platform';
import type { FakeProvider } from '../../../../test/support/providers/fake-provider.js';
import { createModels, type ModelsOptions } from '../create-models.js';
import { modelCall } from './model-call.js';

type Given = Parameters<typeof modelCall>[1];

/** A local provider for the tests of a file, and models that know it. */
export type ProviderUse = {
  server: FakeProvider;
  models: Models;
  ask(given?: Given, model?: string): Promise<ModelOutcome>;
  /** The body of the last request. */
  body(): { [key: string]: unknown };
};

type Setting = {
  start: () => Promise<FakeProvider>;
  connections: (url: string) => ConnectionSettings[] | Promise<ConnectionSettings[]>;
  overrides: ModelsOptions['overrides'];
  model: string;
};

/** Its fields are there once the tests run. */
export function useProvider({ start, connections, overrides, model: usual }: Setting): ProviderUse {
  const use = {
    ask: (given: Given = {}, model = usual) => use.models.call(modelCall(model, given)),
    body: () => use.server.lastRequest().json,
  } as ProviderUse;
  beforeAll(async () => {
    use.server = await start();
    const known = await connections(use.server.url);
    use.models = createModels({ connections: new Map(known.map((settings) => [settings.name, settings])), overrides });
  });
  afterAll(() => use.server.stop());
  beforeEach(() => use.server.reset());
  return use;
}
