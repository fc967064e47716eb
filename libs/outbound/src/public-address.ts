import ipaddr from 'ipaddr.js';

/** The only block that IPv6 hands out for the public net; everything else is reserved or special. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Public by its range, but served by the host of every Azure machine: DNS, health and agent endpoints. */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Whether an IP address lies in the public net: no loopback, private, link-local (cloud metadata), carrier-grade NAT,
 * multicast, reserved or translated (IPv4 in IPv6, 6to4, Teredo, NAT64) range. False for what is not an address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // `process` unwraps IPv4-mapped addresses such as ::ffff:127.0.0.1.
  const parsed = ipaddr.process(address);
  if (parsed.toString() === AZURE_PLATFORM) return false;
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** The address that a URL's host names literally, without brackets, or null for a name. `URL` has already made decimal, octal and hex spellings dotted. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}
