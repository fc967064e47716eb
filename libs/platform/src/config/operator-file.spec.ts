import { ConfigurationError } from './configuration-error.js';
import { parseOperatorFile } from './operator-file.js';

function faultsOf(text: string): string[] {
  try {
    parseOperatorFile(text, 'weir.yml');
  } catch (error) {
    if (error instanceof ConfigurationError)
      return (error.details['faults'] as { path: string }[]).map((fault) => fault.path);
    throw error;
  }
  return [];
}

describe('weir.yml', () => {
  it('may be empty', () => {
    expect(parseOperatorFile('', 'weir.yml')).toEqual({
      connections: {},
      runtime: {},
      http: { allowed_hosts: [], http_request_hosts: [] },
      secrets: {},
      mcp_servers: {},
      plugins: [],
      models: {},
    });
  });

  it('reads every section', () => {
    const file = parseOperatorFile(
      `connections:
  local: { provider: openai, base_url: "http://127.0.0.1:11434/v1", api_key: none, allow_private_addresses: true, limits: { concurrent_requests: 2 } }
runtime: { context: { preset: chat } }
http: { allowed_hosts: ["internal.example.com:8080", "*.corp.example"], http_request_hosts: [example.com] }
secrets: { crm: { value: { env: CRM_TOKEN }, hosts: [crm.example.com] } }
mcp_servers: { files: { command: mcp-files, args: [--root, /srv], env: { TOKEN: { env: FILES_TOKEN } } } }
plugins: [./plugins/weather.js]
models: { "local:llama-3": { window_tokens: 8192, prices_per_million: { input: 0, output: 0 } } }`,
      'weir.yml',
    );
    expect(file.connections['local']?.allow_private_addresses).toBe(true);
    expect(file.runtime.context).toEqual({ preset: 'chat' });
    expect(file.secrets['crm']?.hosts).toEqual(['crm.example.com']);
    expect(file.models['local:llama-3']?.window_tokens).toBe(8192);
  });

  it('names the path of every fault', () => {
    const faults = faultsOf(`connections:
  one: { provider: openai, base_url: "ftp://host" }
  two: { provider: nobody }
secrets: { token: { value: x, hosts: [] } }
models: { "gpt": { } }
colour: red`);
    expect(faults).toEqual(
      expect.arrayContaining([
        'connections.one.base_url',
        'connections.two.provider',
        'secrets.token.hosts',
        'models.gpt',
        '',
      ]),
    );
  });

  it('refuses text that is not YAML', () => {
    expect(faultsOf('connections: [')).toEqual(['']);
  });

  it('refuses an unknown key deep inside', () => {
    expect(() => parseOperatorFile('mcp_servers: { a: { command: x, shell: true } }', 'weir.yml')).toThrow(
      /mcp_servers\.a.*shell/,
    );
  });
});
