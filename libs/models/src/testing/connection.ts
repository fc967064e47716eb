import { plantedSecret } from '../../../../test/support/planted-secrets.js';
import type { ConnectionSettings } from '#libs/platform';

export const TEST_KEY = plantedSecret('model-key');

/** A connection with everything that a spec does not care about filled in; private addresses are allowed, as local fakes need. */
export function connection(name: string, given: Partial<ConnectionSettings> = {}): ConnectionSettings {
  return {
    name,
    provider: 'openai',
    baseUrl: null,
    apiKey: TEST_KEY,
    apiKeySource: 'the environment variable OPENAI_API_KEY',
    headers: {},
    allowPrivateAddresses: true,
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
    ...given,
  };
}
