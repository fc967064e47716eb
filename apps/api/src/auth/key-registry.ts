import { parseApiKeyToken, secretMatches } from '#libs/engine';
import type { ApiKeyRecord } from '#libs/event-store';
import type { Caller } from './caller.js';

/** A revoked key works at most this long. */
const CACHE_MS = 2000;
const CACHE_SIZE = 2000;

type FindKey = (keyId: string) => Promise<ApiKeyRecord | null>;

/** Tokens → callers, with a small cache so that a busy key costs one query every two seconds. */
export class KeyRegistry {
  private readonly cache = new Map<string, { record: ApiKeyRecord; until: number }>();

  constructor(
    private readonly findKey: FindKey,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Null for a token that is malformed, unknown, revoked or has another secret. */
  async authenticate(token: string): Promise<Caller | null> {
    const parsed = parseApiKeyToken(token);
    if (parsed === null) return null;
    const record = await this.recordOf(parsed.keyId);
    if (record === null || record.revokedAt !== null) return null;
    if (!secretMatches(parsed.secret, record.secretHash)) return null;
    return { projectId: record.projectId, keyId: record.keyId, scopes: new Set(record.scopes) };
  }

  forget(keyId: string): void {
    this.cache.delete(keyId);
  }

  private async recordOf(keyId: string): Promise<ApiKeyRecord | null> {
    const cached = this.cache.get(keyId);
    if (cached !== undefined && cached.until > this.nowMs()) return cached.record;
    this.cache.delete(keyId);
    const record = await this.findKey(keyId);
    // Unknown ids are not kept: they would let a stranger fill the cache.
    if (record !== null) this.keep(record);
    return record;
  }

  private keep(record: ApiKeyRecord): void {
    const oldest = this.cache.keys().next();
    if (this.cache.size >= CACHE_SIZE && oldest.done !== true) this.cache.delete(oldest.value);
    this.cache.set(record.keyId, { record, until: this.nowMs() + CACHE_MS });
  }
}
