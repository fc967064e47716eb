import { startAnthropicServer } from '../../../../test/support/providers/anthropic-server.js';
import { connection } from './connection.js';
import { useProvider, type ProviderUse } from './use-provider.js';

/** `local:claude-sonnet-4-5`; `local:thinker` (thinking format), `local:plain` (no prompt cache, takes no schemas), `keyless`. */
export function useAnthropic(): ProviderUse {
  return useProvider({
    start: startAnthropicServer,
    model: 'local:claude-sonnet-4-5',
    overrides: { 'local:thinker': { api_format: 'anthropic_thinking' }, 'local:plain': { prompt_caching: false } },
    connections: (baseUrl) => [
      connection('local', { provider: 'anthropic', baseUrl }),
      connection('keyless', { provider: 'anthropic', baseUrl, apiKey: null }),
    ],
  });
}
