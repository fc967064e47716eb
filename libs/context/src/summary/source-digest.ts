/**
 * The bytes over which a compaction's `source_digest` is taken: seq and digest of every event of its range, in order. The
 * engine hashes them (SHA-256, hex); a range whose events differ, or that is not whole, gives other bytes.
 */
export function sourceDigestBytes(events: readonly { seq: number; digest: string }[]): string {
  return events.map(({ seq, digest }) => `${seq} ${digest}\n`).join('');
}
