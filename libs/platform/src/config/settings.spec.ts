import { parseEnvironment } from './environment.js';
import { parseOperatorFile } from './operator-file.js';
import { resolveSettings, type Settings } from './settings.js';

function settingsOf(variables: Record<string, string>, file = ''): Settings {
  return resolveSettings(parseEnvironment(variables), parseOperatorFile(file, 'weir.yml'), variables);
}

describe('settings', () => {
  it('has the documented defaults', () => {
    const settings = settingsOf({});
    expect(settings.steps).toEqual({
      leaseMs: 45_000,
      heartbeatMs: 10_000,
      sweepMs: 5000,
      relayMs: 1000,
      stallMs: 120_000,
      goOnMs: 0,
    });
    expect(settings.drainMs).toBe(25_000);
    expect(settings.database).toEqual({ url: null, poolSize: 10, prepare: true });
    expect(settings.queue).toEqual({
      backend: null,
      redisUrl: null,
      prefix: 'weir',
      allowEviction: false,
      limitMinuteMs: 60_000,
    });
  });

  it('keeps the heartbeat well below a short lease', () => {
    expect(settingsOf({ WEIR_LEASE_S: '2' }).steps).toMatchObject({ leaseMs: 2000, heartbeatMs: 500 });
  });

  it('refuses a heartbeat that loses the lease when one is late', () => {
    expect(() => settingsOf({ WEIR_LEASE_S: '10', WEIR_HEARTBEAT_S: '6' })).toThrow(/WEIR_HEARTBEAT_S/);
  });

  it('refuses the Redis backend without an address', () => {
    expect(() => settingsOf({ WEIR_QUEUE_BACKEND: 'redis' })).toThrow(/REDIS_URL/);
  });

  it('takes Redis when there is an address', () => {
    expect(settingsOf({ REDIS_URL: 'redis://localhost' }).queue.backend).toBe('redis');
  });

  it('takes keys from the variables that the file names, and says where a missing one should be', () => {
    const { connections } = settingsOf(
      { MY_KEY: 'sk-1' },
      'connections: { mine: { provider: openai, api_key: { env: MY_KEY } } }',
    );
    expect(connections.get('mine')?.apiKey).toBe('sk-1');
    expect(connections.get('anthropic')).toMatchObject({
      apiKey: null,
      apiKeySource: 'the environment variable ANTHROPIC_API_KEY',
    });
  });

  it('lets the operator redefine a built-in connection', () => {
    const { connections } = settingsOf(
      {},
      'connections: { openai: { provider: openai, base_url: "https://proxy.example/v1" } }',
    );
    expect(connections.get('openai')?.baseUrl).toBe('https://proxy.example/v1');
  });

  it('gives an MCP server only the environment that the file lists', () => {
    const { mcpServers } = settingsOf(
      { FILES_TOKEN: 't', AWS_SECRET: 's' },
      'mcp_servers: { files: { command: x, env: { TOKEN: { env: FILES_TOKEN }, GONE: { env: NOT_SET }, MODE: ro } } }',
    );
    expect(mcpServers.get('files')?.env).toEqual({ TOKEN: 't', MODE: 'ro' });
  });
});
