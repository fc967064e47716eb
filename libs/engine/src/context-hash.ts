import { createHash } from 'node:crypto';
import type { ReadyBuild } from '#libs/context';

/** `context_hash` of a build: SHA-256, hex, of its canonical JSON, which is never put together for it. */
export function contextHash({ canonical }: Pick<ReadyBuild, 'canonical'>): string {
  const hash = createHash('sha256');
  for (const piece of canonical) hash.update(piece);
  return hash.digest('hex');
}
