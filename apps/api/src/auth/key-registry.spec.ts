import { mintApiKey, type MintedApiKey } from '#libs/engine';
import type { ApiKeyRecord } from '#libs/event-store';
import { KeyRegistry } from './key-registry.js';

function recordOf(minted: MintedApiKey): ApiKeyRecord {
  return {
    projectId: 'default',
    keyId: minted.keyId,
    name: 'test',
    secretHash: minted.secretHash,
    scopes: ['runs:read'],
    createdAt: '2026-01-01T00:00:00.000000Z',
    revokedAt: null,
  };
}

describe('key registry', () => {
  it('asks the store once while a key is fresh, and sees a revocation two seconds later', async () => {
    const minted = mintApiKey();
    let record = recordOf(minted);
    let asked = 0;
    let now = 0;
    const registry = new KeyRegistry(
      () => {
        asked += 1;
        return Promise.resolve(record);
      },
      () => now,
    );
    expect((await registry.authenticate(minted.token))?.projectId).toBe('default');
    record = { ...record, revokedAt: '2026-01-01T00:00:01.000000Z' };
    now = 1999;
    expect(await registry.authenticate(minted.token)).not.toBeNull();
    expect(asked).toBe(1);
    now = 2001;
    expect(await registry.authenticate(minted.token)).toBeNull();
  });

  it('refuses a right id with another secret', async () => {
    const minted = mintApiKey();
    const registry = new KeyRegistry(() => Promise.resolve(recordOf(minted)));
    const [, id] = minted.token.split('_');
    expect(await registry.authenticate(`weir_${id}_${'0'.repeat(64)}`)).toBeNull();
  });
});
