import type { ConnectionSettings } from '#libs/platform';
import { createModels } from './create-models.js';
import { modelCall } from './testing/model-call.js';

const connection = (name: string, given: Partial<ConnectionSettings> = {}): [string, ConnectionSettings] => [
  name,
  {
    name,
    provider: 'openai',
    baseUrl: null,
    apiKey: 'key',
    apiKeySource: 'weir.yml',
    headers: {},
    allowPrivateAddresses: false,
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
    ...given,
  },
];

const models = createModels({
  connections: new Map([
    connection('openai'),
    connection('anthropic', { provider: 'anthropic' }),
    connection('google', { provider: 'google' }),
  ]),
  overrides: {
    'openai:gpt-4.1': { window_tokens: 5_000, prices_per_million: { input: 4, output: 8 } },
    'openai:own': { api_format: 'gemini' },
  },
});
const factsOf = (model: string) => {
  const found = models.facts(model);
  if (!found.ok) throw new Error(found.detail);
  return found.facts;
};

describe('facts of models', () => {
  it('come from the shipped catalogue', () => {
    expect(factsOf('openai:gpt-4.1-mini')).toMatchObject({
      id: 'openai:gpt-4.1-mini',
      apiFormat: 'openai_chat',
      windowTokens: 1_047_576,
      maxOutputTokens: 32_768,
      priceInput: 0.4,
      cacheReadRatio: 0.25,
      cacheWriteRatio: 1,
      images: true,
    });
    expect(factsOf('anthropic:claude-sonnet-4-5')).toMatchObject({
      apiFormat: 'anthropic_thinking',
      windowTokens: 200_000,
      priceCacheWrite: 3.75,
      cacheReadRatio: expect.closeTo(0.1),
      cacheWriteRatio: 1.25,
    });
  });

  it('of a dated name are those of its family', () => {
    expect(factsOf('anthropic:claude-sonnet-4-5-20250929').priceOutput).toBe(15);
    expect(factsOf('openai:gpt-4.1-2025-04-14').windowTokens).toBe(1_047_576);
    expect(factsOf('anthropic:claude-3-5-haiku-latest').apiFormat).toBe('anthropic');
  });

  it('are overridden by the operator', () => {
    expect(factsOf('openai:gpt-4.1')).toMatchObject({
      windowTokens: 5_000,
      maxOutputTokens: 32_768,
      priceInput: 4,
      priceCachedInput: null,
      cacheReadRatio: 0.25,
    });
  });

  it('of a model that is not listed are the defaults, with no window and no price', () => {
    expect(factsOf('openai:qwen3:8b')).toMatchObject({ windowTokens: null, priceInput: null, promptCaching: true });
    expect(factsOf('openai:constructor').windowTokens).toBeNull();
  });

  it('of builtin:extractive are free', () => {
    expect(factsOf('builtin:extractive')).toMatchObject({
      promptCaching: false,
      priceInput: 0,
      priceOutput: 0,
      windowTokens: null,
    });
  });

  it.each([
    ['gpt-4.1', 'connection:model'],
    ['openai:', 'connection:model'],
    ['open ai:x', 'connection:model'],
    ['azure:gpt-4.1', 'no connection azure for azure:gpt-4.1; known are builtin'],
    ['builtin:clever', 'builtin:extractive'],
    ['scripted:nowhere', 'no script nowhere'],
    ['openai:own', 'does not speak gemini; expected one of openai_chat, openai_responses, strict_chat'],
  ])('of %s are refused with what would be right', async (model, expected) => {
    expect(models.facts(model)).toEqual({ ok: false, detail: expect.stringContaining(expected) });
    expect(await models.call(modelCall(model))).toMatchObject({
      kind: 'failure',
      class: 'invalid_request',
      detail: expect.stringContaining(expected),
    });
  });
});
