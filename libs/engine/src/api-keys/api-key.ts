import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** `token` is shown once; only `secretHash` (SHA-256, hex) is stored: the secret has 256 random bits, so no slow hash is needed. */
export type MintedApiKey = { readonly keyId: string; readonly token: string; readonly secretHash: string };

const TOKEN = /^weir_([0-9a-f]{32})_([0-9a-f]{64})$/;

/** A new key: id `key_<uuid v7>`, token `weir_<id>_<secret>` in which the id stands without prefix and dashes. */
export function mintApiKey(): MintedApiKey {
  const id = uuidv7();
  const secret = randomBytes(32).toString('hex');
  return { keyId: `key_${id}`, token: `weir_${id.replaceAll('-', '')}_${secret}`, secretHash: hashSecret(secret) };
}

/** The parts of a bearer token, or null when it does not have the form of one. */
export function parseApiKeyToken(token: string): { keyId: string; secret: string } | null {
  const match = TOKEN.exec(token);
  const [id, secret] = [match?.[1], match?.[2]];
  if (id === undefined || secret === undefined) return null;
  const uuid = [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20)].join('-');
  return { keyId: `key_${uuid}`, secret };
}

/** Takes the same time whether or not (and wherever) the hashes differ. */
export function secretMatches(secret: string, secretHash: string): boolean {
  const given = Buffer.from(hashSecret(secret), 'hex');
  const stored = Buffer.from(secretHash, 'hex');
  return given.length === stored.length && timingSafeEqual(given, stored);
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
