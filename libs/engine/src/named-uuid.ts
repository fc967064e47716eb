import { hash } from 'node:crypto';

const NAMESPACE_BYTES = 16;

/** Makes UUIDs of version 5 (RFC 9562) of texts in a namespace: one text, one id. `namespace`: a UUID. */
export function namedUuids(namespace: string): (name: string) => string {
  const prefix = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  return (name) => {
    const bytes = Buffer.allocUnsafe(NAMESPACE_BYTES + Buffer.byteLength(name));
    prefix.copy(bytes);
    bytes.write(name, NAMESPACE_BYTES);
    const digest = hash('sha1', bytes);
    const variant = ((Number.parseInt(digest.charAt(16), 16) & 0b0011) | 0b1000).toString(16);
    return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  };
}
