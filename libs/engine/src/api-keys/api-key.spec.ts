import { mintApiKey, parseApiKeyToken, secretMatches } from './api-key.js';

describe('api key', () => {
  it('is read back from its token as minted', () => {
    const minted = mintApiKey();
    const parsed = parseApiKeyToken(minted.token);
    expect(parsed?.keyId).toBe(minted.keyId);
    expect(secretMatches(parsed?.secret ?? '', minted.secretHash)).toBe(true);
  });

  it('does not match the hash of another key', () => {
    const parsed = parseApiKeyToken(mintApiKey().token);
    expect(secretMatches(parsed?.secret ?? '', mintApiKey().secretHash)).toBe(false);
  });

  it.each([
    '',
    'weir_',
    'weir_1_2',
    'Bearer x',
    `weir_${'a'.repeat(32)}_${'b'.repeat(63)}`,
    `weir_${'A'.repeat(32)}_${'b'.repeat(64)}`,
  ])('is refused in the form %p', (token) => {
    expect(parseApiKeyToken(token)).toBeNull();
  });
});
