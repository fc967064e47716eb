import { startResponsesServer } from '../../../../test/support/providers/responses-server.js';
import { connection } from './connection.js';
import { useProvider, type ProviderUse } from './use-provider.js';

/** `local:o4-mini`, which reasons, and `local:gpt-4.1`, which does not; both with prices. */
export function useResponses(): ProviderUse {
  const override = {
    api_format: 'openai_responses' as const,
    prices_per_million: { input: 2, cached_input: 0.5, output: 8 },
  };
  return useProvider({
    start: startResponsesServer,
    model: 'local:o4-mini',
    overrides: { 'local:o4-mini': override, 'local:gpt-4.1': override },
    connections: (url) => [connection('local', { baseUrl: `${url}/v1` })],
  });
}
