import { createServer, type AddressInfo } from 'node:net';
import { startOpenAiServer } from '../../../../test/support/providers/openai-server.js';
import { connection } from './connection.js';
import { useProvider, type ProviderUse } from './use-provider.js';

/** `local:m` with prices; `keyless`, `guarded` (no private addresses), `unset` (no key), `nobody` (nobody listens). */
export function useOpenAi(): ProviderUse {
  return useProvider({
    start: startOpenAiServer,
    model: 'local:m',
    overrides: { 'local:m': { prices_per_million: { input: 2, cached_input: 0.5, output: 8 } } },
    connections: async (url) => {
      const baseUrl = `${url}/v1`;
      return [
        connection('local', { baseUrl, headers: { 'x-team': 'blue' } }),
        connection('keyless', { baseUrl, apiKey: null }),
        connection('guarded', { baseUrl, allowPrivateAddresses: false }),
        connection('unset', { apiKey: null }),
        connection('nobody', { baseUrl: `http://127.0.0.1:${await closedPort()}/v1` }),
      ];
    },
  });
}

async function closedPort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await new Promise((resolve) => listener.close(resolve));
  return port;
}
