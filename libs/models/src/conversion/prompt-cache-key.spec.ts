import { promptCacheKey } from './prompt-cache-key.js';

describe('the prompt cache key', () => {
  it('is the same for a view, another for another view, and tells nothing of it', () => {
    const key = promptCacheKey(null, 'customer-7:step:chat');
    expect(key).toMatch(/^weir-[0-9a-f]{32}$/);
    expect(promptCacheKey(null, 'customer-7:step:chat')).toBe(key);
    expect(promptCacheKey(null, 'customer-8:step:chat')).not.toBe(key);
  });

  it.each([
    ['https://api.openai.com/v1', true],
    ['https://eu.api.openai.com/v1', true],
    ['https://acme.openai.azure.com/openai/v1', true],
    ['http://127.0.0.1:11434/v1', false],
    ['https://openai.com.example.org/v1', false],
  ])('goes to %s: %s', (baseUrl, goes) => expect(promptCacheKey(baseUrl, 'v') !== undefined).toBe(goes));
});
