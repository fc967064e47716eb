import { hash } from 'node:crypto';

const NAMESPACE_BYTES = 16;
/** `run_` and a UUID: where its version stands, and how much of it is the time. */
const RUN_ID_CHARS = 40;
const VERSION_AT = 18;
const TIME = [4, 17] as const;

/**
 * Makes UUIDs of texts in a namespace: one text, one id. Of version 5 (RFC 9562); with a `runId` over UUIDv7, of version 8: its time (48
 * bits), then 74 bits of the same hash. Rows of runs of one time so stand together in an index, where hashes alone are written
 * anywhere (ADR 0044).
 * `namespace`: a UUID.
 */
export function namedUuids(namespace: string): (name: string, runId?: string | null) => string {
  const prefix = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  return (name, runId = null) => {
    const bytes = Buffer.allocUnsafe(NAMESPACE_BYTES + Buffer.byteLength(name));
    prefix.copy(bytes);
    bytes.write(name, NAMESPACE_BYTES);
    const digest = hash('sha1', bytes);
    const variant = ((Number.parseInt(digest.charAt(16), 16) & 0b0011) | 0b1000).toString(16);
    const rest = `${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
    return hasTime(runId)
      ? `${runId.slice(...TIME)}-8${rest}`
      : `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${rest}`;
  };
}

const hasTime = (runId: string | null): runId is string =>
  runId !== null && runId.length === RUN_ID_CHARS && runId.charAt(VERSION_AT) === '7';
