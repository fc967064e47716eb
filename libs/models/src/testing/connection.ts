import type { ConnectionSettings } from '#libs/platform';

/** A connection with everything that a spec does not care about filled in; private addresses are allowed, as local fakes need. */
export function connection(name: string, given: Partial<ConnectionSettings> = {}): ConnectionSettings {
  return {
    name,
    provider: 'openai',
    baseUrl: null,
    apiKey: 'sk-test-key-123456789',
    apiKeySource: 'the environment variable OPENAI_API_KEY',
    headers: {},
    allowPrivateAddresses: true,
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
    ...given,
  };
}
